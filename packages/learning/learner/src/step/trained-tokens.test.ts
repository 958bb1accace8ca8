import { expect, it } from "vitest";
import { LossConfig } from "../config/loss-config.js";
import type { MicroBatchArrays } from "../rows/micro-batches.js";
import type { TrainingRow } from "../rows/training-row.js";
import { TrainedTokens } from "./trained-tokens.js";

const row = (trajectoryId: string, advantage: number, tokens: number): TrainingRow => ({
  ...{ groupId: "g", trajectoryId, step: 0, temperature: 1, truncated: false, policyVersion: 0, advantage },
  tokenIds: new Int32Array(tokens),
  rolloutLogprobs: new Float32Array(tokens),
  lossMask: new Uint8Array(tokens).fill(1),
});
const rows = [row("a", 1, 3), row("b", -1, 3)];
const batch = {
  ...{ rowOfToken: [0, 0, 0, 1, 1, 1, -1], placeInRow: [0, 1, 2, 0, 1, 2, 0] },
  ...{
    lossMask: [0, 1, 1, 0, 1, 1, 0],
    onPolicy: [0, 0, 0, 0, 0, 1, 0],
    oldLogprobs: [0, -1, -1, 0, -1, -1, 0],
  },
} as unknown as MicroBatchArrays;
const policyLogprobs = Float32Array.from([0, -1 + Math.log(1.3), -1, 0, -1 + Math.log(0.7), -3, 0]);

it("says of each trained token its ratio, and whether the loss cut it off in its advantage's direction", () => {
  const tokens = new TrainedTokens(LossConfig.parse({ kind: "clip" }));
  tokens.begin(rows);
  tokens.add(rows, batch, { policyLogprobs });
  const [up, down] = [tokens.of("a", 0), tokens.of("b", 0)];
  expect(up?.ratios[0]).toBeNaN();
  expect(up?.ratios[1]).toBeCloseTo(1.3, 5);
  expect([...(up?.clipped ?? [])]).toEqual([0, 1, 0]);
  expect(down?.ratios[1]).toBeCloseTo(0.7, 5);
  // On policy: what it is compared with is itself.
  expect(down?.ratios[2]).toBe(1);
  expect([...(down?.clipped ?? [])]).toEqual([0, 1, 0]);
  expect([up?.advantage, down?.advantage, tokens.of("c", 0)]).toEqual([1, -1, undefined]);
});

it("keeps advantages of all, and ratios of no more tokens than its bound (TOKENS-1)", () => {
  const tokens = new TrainedTokens(LossConfig.parse({ kind: "clip" }), 4);
  tokens.begin(rows);
  tokens.add(rows, batch, { policyLogprobs });
  expect(tokens.of("a", 0)?.ratios).toHaveLength(3);
  expect(tokens.of("b", 0)).toMatchObject({ advantage: -1, ratios: new Float32Array(0) });
});
