import { parseModelConfig } from "@palimpsest/model";
import { expect, it } from "vitest";
import { resolveLearnerConfig } from "../config/config.js";
import { keepPlan } from "./keep-plan.js";

const shapes = {
  "0.5B": { hiddenSize: 896, layers: 24, heads: 14, kvHeads: 2, headDim: 64, intermediateSize: 4864 },
  "3B": { hiddenSize: 2048, layers: 36, heads: 16, kvHeads: 2, headDim: 128, intermediateSize: 11_008 },
} as const;

it.each([
  ["0.5B", "auto", 80, "products"],
  ["0.5B", "auto", 12, "nothing"],
  ["3B", "auto", 80, "nothing"],
  ["3B", "auto", 140, "products"],
  ["3B", "products", 80, "products"],
  ["0.5B", "nothing", 80, "nothing"],
  ["0.5B", "auto", undefined, "nothing"],
] as const)("of %s, asked for %s on %s GB, it keeps %s", (name, keep, gigabytes, expected) => {
  const model = parseModelConfig({
    architecture: "qwen2",
    vocabSize: 151_936,
    tieWordEmbeddings: true,
    maxPositions: 4096,
    ...shapes[name],
  });
  const bucket = { rows: name === "3B" ? 4 : 8, length: 2048 };
  const config = resolveLearnerConfig({
    preset: "memagent",
    reference: "none",
    kl: { coefficient: 0 },
    buckets: [bucket],
    memory: { keep },
  });
  expect(keepPlan(model, config, bucket, gigabytes === undefined ? undefined : gigabytes * 1e9)).toBe(
    expected,
  );
});

it("keeps nothing unasked where attention stores its scores: with a window, or wide heads", () => {
  const bucket = { rows: 8, length: 2048 };
  const config = resolveLearnerConfig({
    preset: "memagent",
    reference: "none",
    kl: { coefficient: 0 },
    buckets: [bucket],
  });
  const planOf = (changes: object) => {
    const base = { architecture: "qwen2", vocabSize: 151_936, tieWordEmbeddings: true, maxPositions: 4096 };
    return keepPlan(parseModelConfig({ ...base, ...shapes["0.5B"], ...changes }), config, bucket, 80e9);
  };
  const window = (size: number) => ({ slidingWindow: { size, layers: Array(24).fill(true) } });
  expect([window(2048), window(2047), { headDim: 256 }].map(planOf)).toEqual([
    "products",
    "nothing",
    "nothing",
  ]);
});
