/** The parts of tokenizer.json that a name in `tokenizer.ggml.pre` represents. */
export interface PreTokenizer {
  readonly normalizer: unknown;
  readonly preTokenizer: unknown;
  /** Whether a word that is a token becomes that token, even where the merges would split it differently. */
  readonly ignoreMerges: boolean;
  /** Whether plain texts get a begin token when a file has no add_bos_token. The defaults are those of llama.cpp. */
  readonly addsBeginToken: boolean;
}

const byteLevel = (splitsWords: boolean) => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: splitsWords,
});

const sequence = (...pretokenizers: readonly unknown[]) => ({ type: "Sequence", pretokenizers });

const split = (pattern: string) => ({
  type: "Split",
  pattern: { Regex: pattern },
  behavior: "Isolated",
  invert: false,
});

/** The word split of the tiktoken family, whose members differ in how many digits make up a word. */
const wordsOf = (digits: string) =>
  [
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+",
    digits,
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*",
    "\\s*[\\r\\n]+",
    "\\s+(?!\\S)",
    "\\s+",
  ].join("|");

const gpt2: PreTokenizer = {
  normalizer: null,
  preTokenizer: byteLevel(true),
  ignoreMerges: false,
  addsBeginToken: false,
};

const qwen2: PreTokenizer = {
  normalizer: { type: "NFC" },
  preTokenizer: sequence(split(wordsOf("\\p{N}")), byteLevel(false)),
  ignoreMerges: false,
  addsBeginToken: false,
};

const llama3: PreTokenizer = {
  normalizer: null,
  preTokenizer: sequence(split(wordsOf("\\p{N}{1,3}")), byteLevel(false)),
  ignoreMerges: true,
  addsBeginToken: true,
};

/** The word split of Mistral's Tekken, which also cuts where lower case turns to upper case. */
const tekkenWords = [
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*",
  "\\p{N}",
  " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
  "\\s*[\\r\\n]+",
  "\\s+(?!\\S)",
  "\\s+",
].join("|");

/** Pre-tokenizers by their names in GGUF files. Each is the one in the tokenizer.json of the models that use it. */
export const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map([
  ["gpt-2", gpt2],
  ["gpt2", gpt2],
  // Converters write this name when they do not know the model. Most such models have the pre-tokenizer of GPT-2.
  ["default", gpt2],
  [
    "smollm",
    {
      normalizer: null,
      preTokenizer: sequence({ type: "Digits", individual_digits: true }, byteLevel(true)),
      ignoreMerges: false,
      addsBeginToken: false,
    },
  ],
  ["qwen2", qwen2],
  // DeepSeek's distilled Qwen models have the pre-tokenizer of their base.
  ["deepseek-r1-qwen", qwen2],
  ["llama-bpe", llama3],
  ["llama3", llama3],
  ["llama-v3", llama3],
  [
    "tekken",
    {
      normalizer: null,
      preTokenizer: sequence(split(tekkenWords), byteLevel(false)),
      ignoreMerges: true,
      addsBeginToken: true,
    },
  ],
]);
