import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { byteCharacters } from "./byte-alphabet.js";

interface Case {
  readonly normalizer: unknown;
  readonly pre_tokenizer: unknown;
  readonly added: readonly (readonly [number, string, readonly string[]])[];
  /** Text, its ids, those where special tokens are text if they are others, and the text that the ids give. */
  readonly rows: readonly (readonly [string, string, string | null, string])[];
}
interface Goldens {
  readonly merges: readonly (readonly [string, string])[];
  readonly cases: readonly Case[];
}

const flags = ["single_word", "lstrip", "rstrip", "normalized", "special"];
const { merges, cases }: Goldens = JSON.parse(
  readFileSync(new URL("added-tokens.golden.json", import.meta.url), "utf8"),
);
const tokens = [...byteCharacters, ...merges.map((pair) => pair.join(""))];
const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));

it.each(cases)(
  "encodes and decodes as the tokenizers library of Rust: $pre_tokenizer.type, $added",
  (one) => {
    const { normalizer, pre_tokenizer, added, rows } = one;
    const tokenizer = new BpeTokenizer({
      normalizer,
      pre_tokenizer,
      post_processor: null,
      decoder: { type: "ByteLevel" },
      model: { type: "BPE", vocab, merges },
      added_tokens: added.map(([id, content, set]) => ({
        ...{ id, content },
        ...Object.fromEntries(flags.map((flag) => [flag, set.includes(flag)])),
      })),
    });
    for (const [text, ids, asText, back] of rows) {
      expect(tokenizer.encode(text).join(" "), JSON.stringify(text)).toBe(ids);
      const plain = tokenizer.encode(text, { specialTokens: "text" });
      expect(plain.join(" "), JSON.stringify(text)).toBe(asText ?? ids);
      expect(tokenizer.decode(ids.split(" ").map(Number))).toBe(back);
    }
  },
);

it("keeps U+FEFF of texts whose bytes are tokens, as in SentencePiece's offspring", () => {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const all = ["<unk>", ...bytes, "a"];
  const tokenizer = new BpeTokenizer({
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Sequence", decoders: [{ type: "ByteFallback" }, { type: "Fuse" }] },
    model: {
      ...{ type: "BPE", byte_fallback: true, unk_token: "<unk>", merges: [] },
      vocab: Object.fromEntries(all.map((token, id) => [token, id])),
    },
  });
  const text = "\ufeffa\ufeffa";
  expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
});
