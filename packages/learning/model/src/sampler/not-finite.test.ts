import { loadBackend } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { initParameters, parameterShapes } from "../index.js";
import { smallConfig } from "../testing/index.js";
import { createSampler } from "./model-sampler.js";

const backend = await loadBackend();

const config = smallConfig({ maxPositions: 128 });
const overflowing = 15;

/** Finite weights under which one token, and no other, overflows the first layer's scores. */
function parameters(): Record<string, Float32Array> {
  const made: Record<string, Float32Array> = {
    ...initParameters(config, 1, { projectionStd: 0.2, headStd: 0.2 }),
  };
  const { hiddenSize, vocabSize } = config;
  const embedding = (made["embedding"] as Float32Array).slice();
  for (let token = 0; token < vocabSize; token++)
    embedding[token * hiddenSize] = token === overflowing ? 1 : 0;
  made["embedding"] = embedding;
  for (const name of ["layers.query", "layers.key"]) {
    const columns = parameterShapes(config)[name]?.[2] ?? 0;
    const values = (made[name] as Float32Array).slice();
    // What the first entry of a hidden state is multiplied by, in layer 0.
    values.fill(1e25, 0, columns);
    made[name] = values;
  }
  return made;
}

it.each([
  { cache: "pages", maxBatch: 8, cacheTokens: 128 },
  { cache: "slots", maxBatch: 3, stepsPerCall: 8 },
] as const)(
  "fails the request whose numbers it is, and leaves nothing of it for others to meet (SAMPLER-8): $cache",
  async (own) => {
    const limits = { maxLength: 64, weightsHash: "", ...own };
    const sampler = createSampler({ backend, mode: "eager", config, parameters: parameters(), ...limits });
    const prefix = Array.from({ length: 36 }, (_, i) => 1 + ((i * i) % 13));
    const ask = async (promptTokenIds: readonly number[], maxTokens = 12) =>
      (await sampler.generate({ promptTokenIds, maxTokens, temperature: 1, stopTokenIds: [], seed: 3 }))
        .tokenIds;
    try {
      const long = [...prefix, 4];
      const short = Array.from({ length: 8 }, (_, i) => [1 + i]);
      const healthy = [await Promise.all(short.map((prompt) => ask(prompt))), await ask(long)];
      const outcomes = await Promise.allSettled([
        ask([1]),
        ask([...prefix, overflowing]),
        ask(Array.from({ length: 31 }, () => overflowing)),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
      expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ code: "NOT_FINITE" });
      // They get all pages or slots, those of the failed ones too, and write them a place at a time.
      expect(await Promise.all(short.map((prompt) => ask(prompt)))).toEqual(healthy[0]);
      expect(await ask(long)).toEqual(healthy[1]);
    } finally {
      await sampler.close();
    }
  },
);
