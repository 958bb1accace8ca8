import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { loadTokenizer } from "../files/model-folder.js";
import { TextStream } from "../text/text-stream.js";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { trainBpe } from "./bpe-trainer.js";

// Encodings of Hugging Face's own tokenizers for texts with every awkward character.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const folder = `${shared}/data/tokenizers`;
const present = existsSync(folder);
if (!present) process.stderr.write(`skipped: no tokenizers at ${folder} (PALIMPSEST_SHARED moves it)\n`);

describe.skipIf(!present).each(["minimind", "qwen2.5", "qwen3"])("the tokenizer of %s", (name) => {
  let tokenizer: BpeTokenizer;
  let goldens: readonly { readonly text: string; readonly ids: readonly number[] }[];
  beforeAll(async () => {
    tokenizer = await loadTokenizer(`${folder}/${name}`);
    goldens = JSON.parse(await readFile(`${folder}/goldens/${name}.encode.json`, "utf8")).cases;
  });

  it("encodes as the reference does", () => {
    const wrong = goldens.filter(
      ({ text, ids }) => JSON.stringify(tokenizer.encode(text)) !== JSON.stringify(ids),
    );
    expect(goldens.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  it("brings the texts back, composed as its normalizer has them", () => {
    const composed = tokenizer.json.normalizer !== null;
    for (const { text, ids } of goldens) {
      expect(tokenizer.decode(ids)).toBe(composed ? text.normalize("NFC") : text);
    }
  });

  it("streams every text in whole characters, whatever tokens they are cut into", () => {
    for (const { ids } of goldens) {
      const stream = new TextStream(tokenizer);
      const pieces = [...ids.map((id) => stream.push([id])), stream.end()];
      expect(pieces.join("")).toBe(tokenizer.decode(ids));
      expect(pieces.filter((piece) => piece.includes("\ufffd"))).toEqual([]);
    }
  });
});

describe("the pre-tokenizer Digits", () => {
  it.each([true, false])("splits at every numeral of Unicode, one by one: %s", (individual) => {
    const texts = ["Add ½½ cup ٣٤ Ⅳ 12".repeat(4)];
    const { json } = trainBpe(texts, { vocabSize: 400, specialTokens: [], alphabet: "bytes" });
    const steps = [
      { type: "Digits", individual_digits: individual },
      { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    ];
    const tokenizer = new BpeTokenizer({
      ...json,
      pre_tokenizer: { type: "Sequence", pretokenizers: steps },
    });
    const pieces = (text: string) => {
      const ids = tokenizer.encode(text);
      expect(tokenizer.decode(ids)).toBe(text);
      return ids.map((id) => tokenizer.decode([id]));
    };
    // A blank before a numeral is a piece of its own, whatever the training put together.
    for (const text of [" ½", " ٣", " Ⅳ", " 1"]) expect(pieces(text)[0]).toBe(" ");
  });
});
