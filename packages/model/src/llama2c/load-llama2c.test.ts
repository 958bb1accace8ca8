import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../test/support/temporary-folder.js";
import { loadModel, saveModel } from "../files/model-folder.js";
import { hashWeights } from "../parameters.js";
import { createSampler } from "../sampler/model-sampler.js";
import { loadLlama2c } from "./load-llama2c.js";

// A real trained model of 260,000 parameters, and what an independent forward pass makes of it.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../shared", import.meta.url));
const stories = `${shared}/data/stories260K`;
const present = existsSync(stories);
if (!present) process.stderr.write(`skipped: no model at ${stories} (PALIMPSEST_SHARED moves it)\n`);
const [modelPath, tokenizerPath] = [join(stories, "stories260K.bin"), join(stories, "tok512.bin")];

const folder = fileFolder();

interface Golden {
  readonly prompt_ids: readonly number[];
  readonly greedy_ids: readonly number[];
  readonly greedy_text: string;
}

/** The encoder of llama2.c's run.c: join the pair of neighbors with the best score, the leftmost of equal ones. */
function encodeByScores(text: string, pieces: ReadonlyMap<string, { id: number; score: number }>): number[] {
  const symbols = [...` ${text}`.replaceAll(" ", "▁")];
  for (;;) {
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let i = 0; i + 1 < symbols.length; i++) {
      const score = pieces.get(`${symbols[i]}${symbols[i + 1]}`)?.score ?? Number.NEGATIVE_INFINITY;
      if (score > bestScore) [best, bestScore] = [i, score];
    }
    if (best < 0) break;
    symbols.splice(best, 2, `${symbols[best]}${symbols[best + 1]}`);
  }
  return symbols.flatMap((symbol) => {
    const known = pieces.get(symbol)?.id;
    return known === undefined ? [...Buffer.from(symbol)].map((byte) => byte + 3) : [known];
  });
}

describe.skipIf(!present)("stories260K of llama2.c", () => {
  it("tells its golden story through import, model folder and sampler", async () => {
    const golden: Golden = JSON.parse(await readFile(join(stories, "golden_greedy.json"), "utf8"));
    const imported = await loadLlama2c(modelPath, { tokenizerPath });
    await saveModel(join(folder, "m"), imported);
    const { config, parameters, tokenizer } = await loadModel(join(folder, "m"));
    expect(config).toMatchObject({ layers: 5, hiddenSize: 64, heads: 8, kvHeads: 4, vocabSize: 512 });
    expect(hashWeights(parameters)).toBe(hashWeights(imported.parameters));
    const sampler = createSampler({
      backend: await loadBackend(),
      config,
      parameters,
      maxBatch: 1,
      maxLength: 192,
    });
    try {
      const { tokenIds } = await sampler.generate({
        promptTokenIds: golden.prompt_ids,
        maxTokens: golden.greedy_ids.length - golden.prompt_ids.length,
        temperature: 0,
        stopTokenIds: [],
        seed: 1,
      });
      expect([...golden.prompt_ids, ...tokenIds]).toEqual(golden.greedy_ids);
      // The golden text shows bytes by their names and keeps the space that stands before every first word.
      const text = golden.greedy_text.replaceAll("<0x0A>", "\n");
      expect(` ${tokenizer?.decode(tokenIds)}`).toBe(text);
      expect(tokenizer?.encode(text.slice(1))).toEqual(tokenIds);
    } finally {
      await sampler.close();
    }
  });

  it("encodes any text as its own encoder does", async () => {
    const { tokenizer } = await loadLlama2c(modelPath, { tokenizerPath });
    const bytes = await readFile(tokenizerPath);
    const pieces = new Map<string, { id: number; score: number }>();
    for (let at = 4, id = 0; at < bytes.length; id++) {
      const length = bytes.readInt32LE(at + 4);
      const text = bytes.toString("utf8", at + 8, at + 8 + length).replaceAll(" ", "▁");
      if (id > 2) pieces.set(text, { id, score: bytes.readFloatLE(at) });
      at += 8 + length;
    }
    const texts = [
      "Once upon a time",
      "a  b   c",
      "naïve 猫 🚀\n\ttab",
      "aaaaaaa hehehehe ininin",
      "  x",
      "'\"!?",
    ];
    // Words made of the pieces themselves meet every way in which merges can compete.
    const ordinary = [...pieces.keys()].filter((text) => !text.startsWith("<0x"));
    for (let i = 0; i < 2_000; i++) {
      const drawn = Array.from(
        { length: 4 },
        (_, k) => ordinary[(i * 131 + k * k * 57 + i * k * 29) % ordinary.length],
      );
      texts.push(drawn.join("").replaceAll("▁", " "));
    }
    for (const text of texts) expect(tokenizer?.encode(text), text).toEqual(encodeByScores(text, pieces));
  });

  it("is refused when its file is cut, of another format, or its tokenizer is another's", async () => {
    const bytes = await readFile(modelPath);
    const path = join(folder, "bad.bin");
    await writeFile(path, bytes.subarray(0, 5000));
    await expect(loadLlama2c(path)).rejects.toThrow(/FILE_DAMAGED.*5000 bytes.*1056540/);
    await writeFile(path, Buffer.from("24ka\x01\0\0\0".padEnd(300, "\0"), "latin1"));
    await expect(loadLlama2c(path)).rejects.toThrow(/DTYPE_UNSUPPORTED.*format 1/);
    await writeFile(path, (await readFile(tokenizerPath)).subarray(0, 1000));
    await expect(loadLlama2c(modelPath, { tokenizerPath: path })).rejects.toThrow(/TOKENIZER_INVALID/);
  });
});
