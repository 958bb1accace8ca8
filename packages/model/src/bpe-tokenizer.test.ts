import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadTokenizer } from "./files/model-folder.js";
import { TextStream } from "./text/text-stream.js";

// Encodings of Hugging Face's own tokenizers for texts with every awkward character.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const folder = `${shared}/data/tokenizers`;
const present = existsSync(folder);
if (!present) process.stderr.write(`skipped: no tokenizers at ${folder} (PALIMPSEST_SHARED moves it)\n`);

describe.skipIf(!present).each(["minimind", "qwen2.5", "qwen3"])("the tokenizer of %s", (name) => {
  it("encodes as the reference does", async () => {
    const tokenizer = await loadTokenizer(`${folder}/${name}`);
    const goldens = JSON.parse(await readFile(`${folder}/goldens/${name}.encode.json`, "utf8"));
    const wrong = (goldens.cases as { text: string; ids: number[] }[]).filter(
      ({ text, ids }) => JSON.stringify(tokenizer.encode(text)) !== JSON.stringify(ids),
    );
    expect(goldens.cases.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  it("brings the texts back, composed as its normalizer has them", async () => {
    const tokenizer = await loadTokenizer(`${folder}/${name}`);
    const goldens = JSON.parse(await readFile(`${folder}/goldens/${name}.encode.json`, "utf8"));
    const composed = tokenizer.json.normalizer !== null;
    for (const { text, ids } of goldens.cases as { text: string; ids: number[] }[]) {
      expect(tokenizer.decode(ids)).toBe(composed ? text.normalize("NFC") : text);
    }
  });

  it("streams every text in whole characters, whatever tokens they are cut into", async () => {
    const tokenizer = await loadTokenizer(`${folder}/${name}`);
    const goldens = JSON.parse(await readFile(`${folder}/goldens/${name}.encode.json`, "utf8"));
    for (const { ids } of goldens.cases as { ids: number[] }[]) {
      const stream = new TextStream(tokenizer);
      const pieces = [...ids.map((id) => stream.push([id])), stream.end()];
      expect(pieces.join("")).toBe(tokenizer.decode(ids));
      expect(pieces.filter((piece) => piece.includes("\ufffd"))).toEqual([]);
    }
  });
});
