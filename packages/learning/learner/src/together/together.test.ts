/** Several learners that train together, held against one that trains alone. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { afterEach, beforeAll, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner } from "../learner/create-learner.js";
import {
  randomGroups,
  rowsOfPrompts,
  tinyConfig,
  tinyModel,
  tinyParameters,
} from "../learner/learner.fixture.js";
import type { Learner } from "../learner/learner.js";
import type { TrainedOutputs } from "../step/trained-outputs.js";
import { type LocalPeer, localPeers } from "./local-peers.js";
import type { Peers } from "./peers.js";

let backend: Backend;
const open: Learner[] = [];
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});
afterEach(() => {
  mode = "eager";
  objectives = ["policy"];
  for (const learner of open.splice(0)) learner.close();
});

/** One update moves weights by less than Adam makes of rounding. */
const common: Partial<LearnerConfigInput> = { kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 } };

/** Tensor by tensor unless said: tracing takes seconds a learner, and what ranks do is the same in every mode. */
let mode: "eager" | "graph" | "xla" = "eager";

let objectives: readonly ("policy" | "supervised")[] = ["policy"];

function aLearner(
  changes: Partial<LearnerConfigInput>,
  peers?: Peers,
  checkpoint?: ReturnType<Learner["checkpoint"]>,
) {
  const learner = createLearner({
    backend,
    config: tinyConfig({ ...common, ...changes }),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives,
    mode,
    ...(peers ? { peers } : {}),
    ...(checkpoint ? { checkpoint } : {}),
  });
  open.push(learner);
  return learner;
}

const ranksOf = (local: readonly LocalPeer[], changes: Partial<LearnerConfigInput> = {}) =>
  local.map(({ peers }) => aLearner(changes, peers));

function expectClose(left: Learner, right: Learner): void {
  const others = right.parameters();
  for (const [name, values] of Object.entries(left.parameters()))
    values.forEach((value, i) => {
      expect(Math.abs(value - (others[name]?.[i] ?? Number.NaN)), name).toBeLessThan(1e-5);
    });
}

it.each([2, 3])("%i ranks train what one trains, and have the same bits (TOGETHER-1)", async (size) => {
  // Two steps an epoch, π_old scored before the second, buckets of two lengths: ranks have uneven parts, and at times none.
  const given: Partial<LearnerConfigInput> = {
    miniBatches: 2,
    buckets: [
      { rows: 4, length: 8 },
      { rows: 2, length: 12 },
    ],
  };
  const one = aLearner(given);
  const ranks = ranksOf(localPeers(size, { sliceBytes: 1000 }), given);
  {
    const expected = await one.update(randomGroups(0));
    const all = await Promise.all(ranks.map((learner) => learner.update(randomGroups(0))));
    for (const got of all) {
      for (const measure of ["loss", "gradientNorm", "klK3", "entropy", "policyKl", "ratioMax"] as const)
        expect(got[measure], measure).toBeCloseTo(expected[measure], 4);
      for (const measure of ["microBatches", "tokens", "rowTokens", "paddingFraction", "step"] as const)
        expect(got[measure], measure).toBe(expected[measure]);
      const { durationMs, tokensPerSecond, modelTeraflops, ...numbers } = got;
      expect(numbers).toEqual({
        ...all[0],
        durationMs: undefined,
        tokensPerSecond: undefined,
        modelTeraflops: undefined,
      });
    }
  }
  expect(new Set(ranks.map((learner) => learner.weightsHash())).size).toBe(1);
  expectClose(ranks[1] as Learner, one);
});

/** Two replicas on each of two hosts, or three. */
const hosts = (size: number, changes: Partial<LearnerConfigInput>) =>
  ranksOf(localPeers(size, { sliceBytes: 1000 }), { replicas: 2, ...changes });
const sharded = { memory: { optimizerState: "sharded" } } as const;

it.each([
  ["whole", 2, {}],
  ["sharded", 3, sharded],
] as const)(
  "with the optimizer's state %s %i hosts of two replicas train what one replica trains, and their checkpoint is that of one (TOGETHER-1)",
  async (_, size, memory) => {
    const given: Partial<LearnerConfigInput> = {
      miniBatches: 2,
      buckets: [{ rows: 2, length: 12 }],
    };
    mode = "graph";
    const one = aLearner(given);
    mode = "xla";
    const ranks = hosts(size, { ...given, ...memory });
    const expected = await one.update(randomGroups(0));
    const all = await Promise.all(ranks.map((learner) => learner.update(randomGroups(0))));
    for (const got of all) {
      for (const measure of ["loss", "gradientNorm", "klK3", "entropy", "policyKl", "ratioMax"] as const)
        expect(got[measure], measure).toBeCloseTo(expected[measure], 4);
      for (const measure of ["microBatches", "tokens", "rowTokens", "step"] as const)
        expect(got[measure], measure).toBe(expected[measure]);
    }
    expect(new Set(ranks.map((learner) => learner.weightsHash())).size).toBe(1);
    expectClose(ranks[1] as Learner, one);
    // Another number of hosts and replicas goes on from it.
    const checkpoint = (ranks[0] as Learner).checkpoint({ consumedGroupIds: [], dataCursor: null });
    const [first, second] = localPeers(2).map(({ peers }) => peers);
    const later = [
      aLearner({ ...given, replicas: 3, ...sharded }, first, checkpoint),
      aLearner({ ...given, replicas: 3, ...sharded }, second),
    ];
    await Promise.all(later.map((learner) => learner.shareState()));
    await one.update(randomGroups(1));
    await Promise.all(later.map((learner) => learner.update(randomGroups(1))));
    expect(later[1]?.weightsHash()).toBe(later[0]?.weightsHash());
    expectClose(later[1] as Learner, one);
  },
);

it.each([
  ["float32", "auto", "whole", 1e-6],
  ["float32", "auto", "sharded", 1e-6],
  ["bfloat16", "auto", "sharded", 1e-3],
  ["bfloat16", "float32", "sharded", 1e-3],
  ["float32", "bfloat16", "whole", 1e-3],
] as const)(
  "over 20 steps in %s, gradients in %s, two hosts of two replicas have one's losses (%s: within %f)",
  async (precision, reduceType, optimizerState, bound) => {
    const rows = rowsOfPrompts();
    const train = async (ranks: readonly Learner[]) => {
      const losses: number[] = [];
      for (let step = 0; step < 20; step++) {
        const all = await Promise.all(ranks.map((learner) => learner.sft(rows)));
        expect(new Set(all.map(({ loss }) => loss)).size).toBe(1);
        losses.push(all[0]?.loss ?? Number.NaN);
      }
      return losses;
    };
    objectives = ["supervised"];
    const config = { precision, buckets: [{ rows: 1, length: 12 }] };
    // A CPU without bfloat16 rounds elsewhere in a graph than in what XLA compiles.
    mode = precision === "float32" ? "graph" : "xla";
    const expected = await train([aLearner(config)]);
    mode = "xla";
    const got = await train(hosts(2, { ...config, reduceType, memory: { optimizerState } }));
    expect(expected[19]).toBeLessThan((expected[0] ?? 0) / 2);
    const apart = expected.map((loss, step) => Math.abs((got[step] ?? Number.NaN) / loss - 1));
    expect(Math.max(...apart)).toBeLessThan(bound);
  },
);

it("a rank without micro-batches takes part: one micro-batch between two, as a graph", async () => {
  mode = "graph";
  const one = aLearner({ buckets: [{ rows: 8, length: 12 }] });
  const ranks = ranksOf(localPeers(2), { buckets: [{ rows: 8, length: 12 }] });
  const groups = randomGroups(4, 1, 4);
  const expected = await one.update(groups);
  const [, second] = await Promise.all(ranks.map((learner) => learner.update(groups)));
  expect(second?.microBatches).toBe(1);
  expect(second?.loss).toBeCloseTo(expected.loss, 5);
  expectClose(ranks[1] as Learner, one);
});

it("ranks exchange the values of trained tokens, not of padding", async () => {
  const groups = randomGroups(4, 1, 4);
  const trained = groups
    .flatMap(({ members }) => members.flatMap(({ trajectory }) => trajectory.conversations))
    .reduce((sum, { sampledTokenIds }) => sum + sampledTokenIds.length, 0);
  let most = 0;
  const counted = (peers: Peers): Peers => ({
    ...{ rank: peers.rank, size: peers.size },
    allReduce: (values) => peers.allReduce(values),
    broadcast: (values) => peers.broadcast(values),
    allGather: (value) => {
      const { own = [] } = value as { own?: readonly (readonly [number, TrainedOutputs])[] };
      for (const [, { tokens }] of own)
        for (const values of Object.values(tokens)) most = Math.max(most, values.length);
      return peers.allGather(value);
    },
  });
  const given = { buckets: [{ rows: 2, length: 48, packedRows: 32 }] };
  const ranks = localPeers(2).map(({ peers }) => aLearner(given, counted(peers)));
  await Promise.all(ranks.map((learner) => learner.update(groups)));
  expect(most).toBeGreaterThan(0);
  // A packed micro-batch has 32 rows of 47 tokens to predict.
  expect(most).toBeLessThanOrEqual(trained);
});

it("what stops an update stops it on every rank, and leaves all of them usable", async () => {
  const ranks = ranksOf(localPeers(2), { maxLogprobDifference: 1e-9 });
  const before = ranks.map((learner) => learner.weightsHash());
  const ends = await Promise.allSettled(ranks.map((learner) => learner.update(randomGroups(0))));
  for (const end of ends) expect(end).toMatchObject({ reason: { code: "LOGPROB_MISMATCH" } });
  expect(ranks.map((learner) => learner.weightsHash())).toEqual(before);
  expect(await Promise.allSettled(ranks.map((learner) => learner.update(randomGroups(0))))).toMatchObject([
    { reason: { code: "LOGPROB_MISMATCH" } },
    { reason: { code: "LOGPROB_MISMATCH" } },
  ]);
});

it("a rank that is gone at any point of an update ends it on all ranks with a typed error, and closes them (TOGETHER-2)", async () => {
  // Scores of the reward's KL, outputs, gradients, their norm.
  const given = { kl: { coefficient: 0.1, in: "reward" as const }, reference: "initial" as const };
  const groups = randomGroups(0, 1, 2);
  const tags: string[] = [];
  const counted = ranksOf(localPeers(2, { onSend: (tag, rank) => rank === 1 && tags.push(tag) }), given);
  await Promise.all(counted.map((learner) => learner.update(groups)));
  expect(tags).toEqual(["gather 0", "gather 1", "2 0 p", "2 0 s", "gather 3"]);
  for (const at of tags.keys()) {
    let seen = 0;
    const local: LocalPeer[] = localPeers(2, {
      onSend: (_, rank) => {
        if (rank !== 1 || seen++ !== at) return;
        const reason = new Error("rank 1 was killed");
        local[0]?.fail(reason);
        throw reason;
      },
    });
    const ranks = ranksOf(local, given);
    const ends = await Promise.allSettled(ranks.map((learner) => learner.update(groups)));
    for (const end of ends)
      expect(end).toMatchObject({
        status: "rejected",
        reason: { code: "PEER_FAILED", message: expect.stringContaining("rank 1 was killed") },
      });
    await expect(ranks[0]?.update(groups)).rejects.toMatchObject({ code: "CLOSED" });
    for (const learner of ranks) open.splice(open.indexOf(learner), 1);
  }
});

it("ranks take over what rank 0 has of a checkpoint, and go on as one would", async () => {
  const one = aLearner({ miniBatches: 2 });
  await one.update(randomGroups(0));
  const checkpoint = one.checkpoint({ consumedGroupIds: [], dataCursor: null });
  const [first, second] = localPeers(2).map(({ peers }) => peers);
  const ranks = [
    aLearner({ miniBatches: 2 }, first, checkpoint),
    // A host without the run's folder has the weights that the run began with.
    aLearner({ miniBatches: 2 }, second),
  ];
  await Promise.all(ranks.map((learner) => learner.shareState()));
  expect(ranks[1]).toMatchObject({ policyVersion: 1, step: one.step });
  expect(ranks[1]?.weightsHash()).toBe(one.weightsHash());
  const expected = await one.update(randomGroups(1));
  const all = await Promise.all(ranks.map((learner) => learner.update(randomGroups(1))));
  for (const got of all) expect(got.loss).toBeCloseTo(expected.loss, 5);
  expect(ranks[1]?.weightsHash()).toBe(ranks[0]?.weightsHash());
  expectClose(ranks[1] as Learner, one);
});

it("ranks with other batches are distinguished", async () => {
  const ranks = ranksOf(localPeers(2));
  const ends = await Promise.allSettled(
    ranks.map((learner, rank) => learner.update(randomGroups(0, rank === 0 ? 1 : 3))),
  );
  for (const end of ends)
    expect(end).toMatchObject({
      reason: { code: "PEER_FAILED", message: expect.stringMatching(/micro-batches/) },
    });
});

it("what does not go with several learners is refused, with field and fix", () => {
  const [peer] = localPeers(2);
  expect(() => aLearner({ memory: { accumulators: "none" } }, peer?.peers)).toThrow(
    /CONFIG_INVALID.*memory\.accumulators is "none".*set it to "auto"/,
  );
});
