/** Replicas that train together, held against one that trains alone. On a CPU they share it; what they are given is the same. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { afterEach, beforeAll, expect, it } from "vitest";
import type { LearnerConfigInput } from "./config.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { createLearner, type Learner } from "./learner.js";
import { roundsOf } from "./rounds.js";

let backend: Backend;
const open: Learner[] = [];
/** XLA compiles some ten functions a test: a minute on two cores that are busy with other things. */
const timeoutMs = 180_000;
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});
afterEach(() => {
  for (const learner of open.splice(0)) learner.close();
});

function aLearner(changes: Partial<LearnerConfigInput>, mode: "graph" | "xla" = "xla"): Learner {
  const config = tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...changes });
  const learner = createLearner({ backend, config, model: tinyModel, parameters: tinyParameters(), mode });
  open.push(learner);
  return learner;
}

it.each([
  [
    "rows of two lengths, and π_old scored before the second mini-batch",
    {
      miniBatches: 2,
      buckets: [
        { rows: 4, length: 8 },
        { rows: 4, length: 12 },
      ],
    },
  ],
  ["shared prompts", { buckets: [{ rows: 4, length: 12, sharedPrompts: { length: 6, replies: 4 } }] }],
] as const)(
  "two replicas train what one trains: %s",
  async (_, { buckets, ...changes }) => {
    const given = { ...changes, buckets: buckets as unknown as LearnerConfigInput["buckets"] };
    // Three groups of eight rows: an odd number of micro-batches somewhere.
    const [one, two] = [aLearner(given, "graph"), aLearner({ ...given, replicas: 2 })];
    for (const seed of [0, 1]) {
      const [expected, got] = [await one.update(randomGroups(seed)), await two.update(randomGroups(seed))];
      expect(got.microBatches).toBe(expected.microBatches);
      expect(got.rowTokens).toBe(expected.rowTokens);
      for (const measure of ["loss", "gradientNorm", "klK3", "entropy", "policyKl"] as const)
        expect(got[measure], measure).toBeCloseTo(expected[measure], 5);
    }
    const [alone, together] = [one.parameters(), two.parameters()];
    for (const [name, values] of Object.entries(alone))
      values.forEach((value, i) => {
        expect(Math.abs(value - (together[name]?.[i] ?? Number.NaN)), name).toBeLessThan(1e-5);
      });
  },
  timeoutMs,
);

it(
  "a learner of two replicas goes on from a checkpoint of one, and its own replicas stay one model",
  async () => {
    const changes = { lora: { rank: 2, alpha: 4, targets: "all-linear" as const } };
    const one = aLearner(changes, "graph");
    await one.update(randomGroups(0));
    const checkpoint = one.checkpoint({ consumedGroupIds: [], dataCursor: null });
    const config = tinyConfig({
      kl: { coefficient: 0.1 },
      optimizer: { epsilon: 1e-3 },
      ...changes,
      replicas: 2,
    });
    const two = createLearner({
      backend,
      config,
      model: tinyModel,
      parameters: tinyParameters(),
      checkpoint,
      mode: "xla",
    });
    open.push(two);
    for (const seed of [1, 2]) {
      const [expected, got] = [await one.update(randomGroups(seed)), await two.update(randomGroups(seed))];
      // The second replica computes a part of each loss: with other weights it would be another.
      expect(got.loss).toBeCloseTo(expected.loss, 5);
      expect(got.gradientNorm).toBeCloseTo(expected.gradientNorm, 5);
    }
  },
  timeoutMs,
);

it("replicas are refused where there is one device, and without sums", () => {
  expect(() => aLearner({ replicas: 2 }, "graph")).toThrow(/replicas is 2 in mode graph/);
  expect(() => aLearner({ replicas: 2, memory: { accumulators: "none" } })).toThrow(/"none" with replicas 2/);
});

it("micro-batches of one bucket are dealt out together, and what is left computes nothing", () => {
  const [short, long] = [
    { rows: 4, length: 8 },
    { rows: 4, length: 12 },
  ];
  const batch = (bucket: typeof short, row: number) => ({ bucket, rowIndices: [row], places: [] });
  const batches = [batch(short, 0), batch(long, 1), batch(short, 2), batch(short, 3)];
  const rounds = roundsOf(batches, 2);
  expect(rounds.map((round) => round.batches.map(({ rowIndices }) => rowIndices[0]))).toEqual([
    [0, 2],
    [3],
    [1],
  ]);
  expect(rounds.map(({ blanks }) => blanks.map(({ bucket }) => bucket))).toEqual([[], [short], [long]]);
  expect(roundsOf(batches, 1).map(({ batches: [only] }) => only)).toEqual(batches);
});
