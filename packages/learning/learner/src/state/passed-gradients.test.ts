/** What learners of several hosts hold of gradients while they travel. */
import { parseModelConfig } from "@palimpsest/model";
import { expect, it } from "vitest";
import { type LearnerConfigInput, resolveLearnerConfig } from "../config/config.js";
import { exchangeHostBytes, gradientBytes } from "./passed-gradients.js";

const model = parseModelConfig({
  ...{ architecture: "qwen2", vocabSize: 10_000, hiddenSize: 1024, layers: 12, heads: 8, kvHeads: 2 },
  ...{ headDim: 128, intermediateSize: 4096, maxPositions: 128, tieWordEmbeddings: true },
});
const embedding = 10_000 * 1024;
const stack = 12 * 1024 * 4096;

const bytesOf = (changes: Partial<LearnerConfigInput>) => {
  const config = resolveLearnerConfig({
    ...{ preset: "memagent", precision: "bfloat16", buckets: [{ rows: 1, length: 128 }] },
    ...changes,
  });
  return { host: exchangeHostBytes(model, config), passed: gradientBytes(model, config) };
};

it("two blocks in the type in which they travel, and in float32 what TensorFlow reads and is fed besides", () => {
  const half = bytesOf({});
  expect(half.host).toBe(Math.max(4 * 4 * embedding, 2 * 2 * stack + 96 * 2 ** 20));
  expect(bytesOf({ reduceType: "float32" }).host).toBe(4 * 4 * stack);
  expect(half.host).toBeLessThan(bytesOf({ reduceType: "float32" }).host / 2);
  // The embedding's stays in float32.
  expect(half.passed).toBeLessThan(0.6 * bytesOf({ reduceType: "float32" }).passed);
});

it("of shards, each is a block", () => {
  const sharded = bytesOf({ replicas: 4, memory: { optimizerState: "sharded" } });
  expect(sharded.host).toBe(Math.max((4 * embedding * 4) / 4, (2 * 2 * stack) / 4 + 96 * 2 ** 20));
});

it("small gradients travel together, so that adapters take as much as a block", () => {
  expect(bytesOf({ lora: { rank: 4, alpha: 8 } }).host).toBe(4 * 16 * 2 ** 20);
});
