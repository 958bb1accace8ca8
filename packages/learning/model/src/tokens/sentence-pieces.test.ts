import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTokenizer } from "../files/model-folder.js";
import { readSentencePieces } from "../files/sentence-piece-file.js";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { sentencePieceJson } from "./sentence-pieces.js";

interface Golden {
  readonly model: string;
  readonly samples: readonly { readonly text: string; readonly ids: readonly number[] }[];
}

// Models and ids of sentencepiece (bench/peers/sentencepiece_reference.py).
const golden: Readonly<Record<string, Golden>> = JSON.parse(
  await readFile(new URL("./sentence-pieces.golden.json", import.meta.url), "utf8"),
);
const bytesOf = (name: string) => Buffer.from(golden[name]?.model ?? "", "base64");

describe.each([
  ["as Llama's", "each"],
  ["as Llama's", "first"],
  ["as Gemma's", "none"],
] as const)("a model of sentencepiece %s, with a space %s", (name, space) => {
  const file = readSentencePieces(bytesOf(name), "tokenizer.model");
  const tokenizer = new BpeTokenizer(
    sentencePieceJson({ ...file, space, beginTokenId: file.named["bos_token"] }),
  );

  it("encodes and decodes as sentencepiece does", () => {
    expect(file.addsSpace).toBe(space !== "none");
    for (const { text, ids } of golden[name]?.samples ?? []) {
      // In this form transformers adds no space before another.
      if (space === "first" && /^[ ▁]/.test(text)) continue;
      expect(tokenizer.encode(text), text).toEqual(ids);
      // Sentencepiece writes spaces as ▁, which it cannot tell from this character itself.
      expect(tokenizer.decode(ids)).toBe(text.replace("▁", " "));
    }
    expect(tokenizer.encodePrompt("a")[0]).toBe(file.named["bos_token"]);
  });
});

describe("tokenizer.model", () => {
  const read = (bytes: Buffer) => readSentencePieces(bytes, "a/tokenizer.model");
  const llama = bytesOf("as Llama's");
  // A message behind another is merged with it.
  const spec = (field: number, ...bytes: number[]) =>
    Buffer.concat([llama, Buffer.from([8 * field + 2, bytes.length, ...bytes])]);

  it.each([
    ["TOKENIZER_INVALID", /model_type is unigram; only bpe is supported/, bytesOf("unigram")],
    ["TOKENIZER_INVALID", /normalizer is "identity"; only identity/, spec(3, 0x12, 1, 7)],
    ["TOKENIZER_INVALID", /remove_extra_whitespaces is true/, spec(3, 0x20, 1)],
    ["TOKENIZER_INVALID", /the place of spaces is unusual/, spec(3, 0x28, 0)],
    ["FILE_DAMAGED", /a\/tokenizer\.model is no model of sentencepiece/, llama.subarray(0, 99)],
    ["FILE_DAMAGED", /is no model of sentencepiece/, Buffer.from("{}")],
    ["FILE_DAMAGED", /is no model of sentencepiece/, Buffer.alloc(0)],
  ])("is refused by name: %s %s", (code, message, bytes) => {
    expect(() => read(bytes)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it("in a model's folder is read where there is no tokenizer.json", async () => {
    const at = testFolder();
    await writeFile(join(at, "tokenizer.model"), llama);
    await writeFile(join(at, "tokenizer_config.json"), JSON.stringify({ pad_token: "<unk>" }));
    const tokenizer = await loadTokenizer(at);
    const { text = "", ids } = golden["as Llama's"]?.samples[0] ?? {};
    expect(tokenizer.encodePrompt(text)).toEqual([1, ...(ids ?? [])]);
    expect([tokenizer.endToken, tokenizer.namedToken("pad_token")]).toEqual(["</s>", "<unk>"]);
    expect(tokenizer.isSpecial(1)).toBe(true);
  });
});
