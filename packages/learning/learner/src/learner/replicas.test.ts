/** Replicas that train together, held against one that trains alone. On a CPU they share it; what they are given is the same. */
import { type Backend, loadBackend, tf } from "@palimpsest/jit";
import type { Group } from "@palimpsest/trajectories";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { roundsOf } from "../rows/rounds.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyParameters, twoLayers } from "./learner.fixture.js";
import type { Learner } from "./learner.js";

interface Runs {
  runSavedModel: (id: number, inputs: number[], feeds: string, fetches: string) => unknown;
}

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});

function aLearner(changes: Partial<LearnerConfigInput>, mode: "graph" | "xla" = "xla"): Learner {
  const config = tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...changes });
  const learner = createLearner({
    backend,
    config,
    model: twoLayers,
    parameters: tinyParameters(1, twoLayers),
    objectives: ["policy"],
    mode,
  });
  onTestFinished(() => learner.close());
  return learner;
}

/** Closer than Adam could make of gradients that part in their last bits. */
function expectSame(left: Learner, right: Learner): void {
  const others = right.parameters();
  for (const [name, values] of Object.entries(left.parameters()))
    values.forEach((value, i) => {
      expect(Math.abs(value - (others[name]?.[i] ?? Number.NaN)), name).toBeLessThan(1e-5);
    });
}

const called = ({ stats }: Learner) => Object.keys(stats).filter((name) => (stats[name]?.calls ?? 0) > 0);

it("two replicas train what one trains: several rounds, shared prompts, π_old scored before the second mini-batch (OPTSTEP-4)", async () => {
  const given = {
    miniBatches: 2,
    buckets: [{ rows: 4, length: 12, sharedPrompts: { length: 6, replies: 4 } }],
  };
  // Three groups of eight rows: an odd number of micro-batches somewhere.
  const [one, two] = [aLearner(given, "graph"), aLearner({ ...given, replicas: 2 })];
  const [expected, got] = [await one.update(randomGroups(0)), await two.update(randomGroups(0))];
  expect(got.microBatches).toBe(expected.microBatches);
  expect(got.rowTokens).toBe(expected.rowTokens);
  for (const measure of ["loss", "gradientNorm", "klK3", "entropy", "policyKl"] as const)
    expect(got[measure], measure).toBeCloseTo(expected[measure], 5);
  expectSame(two, one);
  expect(called(two)).toEqual(called(one));
});

/** Eight rows, of which two replicas have a micro-batch each. */
const aGroup = (seed: number) => randomGroups(seed, 1, 4);

it("a step of one micro-batch a replica is one run, which all replicas apply or none (AT-ONCE-2)", async () => {
  const given: Partial<LearnerConfigInput> = {
    gradientGate: { norm: 1, action: "skip" },
    maxLogprobDifference: 5,
    optimizer: { epsilon: 1e-3, maxGradNorm: 0.1 },
  };
  const [one, two] = [aLearner(given, "graph"), aLearner({ ...given, replicas: 2 })];
  const before = two.weightsHash();
  // The last rows alone, which are not the first replica's, are of another sampler.
  const [group] = aGroup(0);
  const members = group?.members.map((member, at) => {
    const { conversations, ...trajectory } = member.trajectory;
    const far = conversations.map((each) => ({
      ...each,
      rolloutLogprobs: Array.from(each.rolloutLogprobs, () => -99),
    }));
    return at < 3 ? member : { ...member, trajectory: { ...trajectory, conversations: far } };
  });
  await expect(two.update([{ ...group, members } as Group])).rejects.toMatchObject({
    code: "LOGPROB_MISMATCH",
  });
  expect(two.weightsHash()).toBe(before);
  let skipped = 0;
  for (const seed of [1, 2, 3, 4]) {
    const [expected, got] = [await one.update(aGroup(seed)), await two.update(aGroup(seed))];
    for (const measure of ["loss", "gradientNorm", "klK3"] as const)
      expect(got[measure], measure).toBeCloseTo(expected[measure], 5);
    expect(got).toMatchObject({ microBatches: 2, stepsSkippedByGradient: expected.stepsSkippedByGradient });
    skipped += got.stepsSkippedByGradient;
  }
  expect(skipped).toBeGreaterThan(0);
  expect(skipped).toBeLessThan(4);
  expectSame(two, one);
  expect(called(two)).toEqual(["step-policy-4x12"]);
  const { binding } = tf.backend() as unknown as { binding: Runs };
  const run = binding.runSavedModel;
  binding.runSavedModel = () => {
    throw new Error("Session fail to run with error: Out of memory while trying to allocate 28.90GiB.");
  };
  try {
    await expect(two.update(aGroup(6))).rejects.toMatchObject({ code: "MEMORY_EXHAUSTED" });
  } finally {
    binding.runSavedModel = run;
  }
  // Some replica may have applied what others have not.
  await expect(two.update(aGroup(6))).rejects.toMatchObject({ code: "CLOSED" });
});

it("what two replicas pass on in bfloat16 was rounded to it before: the weights have the same bits (reduceType)", async () => {
  const given = { precision: "bfloat16", replicas: 2 } as const;
  const [half, whole] = [aLearner(given), aLearner({ ...given, reduceType: "float32" })];
  const before = half.weightsHash();
  for (const seed of [1, 2]) {
    const [got, expected] = [await half.update(aGroup(seed)), await whole.update(aGroup(seed))];
    expect(got.gradientNorm).toBe(expected.gradientNorm);
  }
  expect(half.weightsHash()).toBe(whole.weightsHash());
  expect(half.weightsHash()).not.toBe(before);
});

it("a learner of two replicas without sums goes on from a checkpoint of one, and its own replicas stay one model", async () => {
  const changes = {
    kl: { coefficient: 0.1 },
    optimizer: { epsilon: 1e-3 },
    lora: { rank: 2, alpha: 4, targets: "all-linear" as const },
  };
  const one = aLearner(changes, "graph");
  await one.update(aGroup(0));
  const checkpoint = one.checkpoint({ consumedGroupIds: [], dataCursor: null });
  const config = tinyConfig({ ...changes, replicas: 2, memory: { accumulators: "none" } });
  const parameters = tinyParameters(1, twoLayers);
  const two = createLearner({
    backend,
    config,
    model: twoLayers,
    parameters,
    checkpoint,
    objectives: ["policy"],
    mode: "xla",
  });
  onTestFinished(() => two.close());
  for (const seed of [1, 2]) {
    const [expected, got] = [await one.update(aGroup(seed)), await two.update(aGroup(seed))];
    // The second replica computes a part of each loss: with other weights it would be another.
    expect(got.loss).toBeCloseTo(expected.loss, 5);
    expect(got.gradientNorm).toBeCloseTo(expected.gradientNorm, 5);
  }
  await expect(two.update(randomGroups(3))).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(/6 micro-batches, but memory\.accumulators is "none".*\(2 in total\)/),
  });
});

it("replicas are refused where there is one device", () => {
  expect(() => aLearner({ replicas: 2 }, "graph")).toThrow(/replicas is 2, but mode graph/);
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
