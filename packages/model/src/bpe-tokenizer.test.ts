import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadTokenizer } from "./files/model-folder.js";

// Encodings of Hugging Face's own tokenizers for texts with every awkward character.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const folder = `${shared}/data/tokenizers`;
const present = existsSync(folder);
if (!present) process.stderr.write(`skipped: no tokenizers at ${folder} (PALIMPSEST_SHARED moves it)\n`);

describe.skipIf(!present).each(["minimind", "qwen2.5"])("the tokenizer of %s", (name) => {
  it("encodes as the reference does", async () => {
    const tokenizer = await loadTokenizer(`${folder}/${name}`);
    const goldens = JSON.parse(await readFile(`${folder}/goldens/${name}.encode.json`, "utf8"));
    const wrong = (goldens.cases as { text: string; ids: number[] }[]).filter(
      ({ text, ids }) => JSON.stringify(tokenizer.encode(text)) !== JSON.stringify(ids),
    );
    expect(goldens.cases.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});
