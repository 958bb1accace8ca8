/** What tokenizer.json has in place of a name in `tokenizer.ggml.pre`. */
export interface PreTokenizer {
  readonly normalizer: unknown;
  readonly preTokenizer: unknown;
  /** A word that is a token is taken whole, even where the merges would cut it otherwise. */
  readonly ignoreMerges: boolean;
  /** Whether a begin token stands before plain texts where a file has no add_bos_token; as llama.cpp has it. */
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

/** The split of the tiktoken family; they differ in how many digits make a word. */
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

/** By the name that a GGUF file gives; each is what the models' own tokenizer.json has. */
export const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map([
  ["gpt-2", gpt2],
  // Written by converters that did not know the model: GPT-2's is what most such models have.
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
  [
    "qwen2",
    {
      normalizer: { type: "NFC" },
      preTokenizer: sequence(split(wordsOf("\\p{N}")), byteLevel(false)),
      ignoreMerges: false,
      addsBeginToken: false,
    },
  ],
  [
    "llama-bpe",
    {
      normalizer: null,
      preTokenizer: sequence(split(wordsOf("\\p{N}{1,3}")), byteLevel(false)),
      ignoreMerges: true,
      addsBeginToken: true,
    },
  ],
]);
