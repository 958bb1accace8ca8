import { LearnerError, type UpdateMetrics } from "@palimpsest/learner";
import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { LearnerRanks, type OwnLearner, type RankHandle } from "./learner-ranks.js";

const { signal } = new AbortController();
const given = { shuffleRewards: false, signal };
const checkpoint = { consumedGroupIds: [], dataCursor: null };

/** Learners whose weights are the number of updates that they have seen. */
class Counting {
  policyVersion = 0;
  closed = false;
  saved = 0;
  weights = "";
  precision: OwnLearner["config"]["precision"] = "float32";

  get step(): number {
    return this.policyVersion;
  }

  train(): { readonly policyVersion: number; readonly optimizerStep: number } {
    this.policyVersion += 1;
    this.weights += "x";
    return { policyVersion: this.policyVersion, optimizerStep: this.step };
  }
}

function rankOf(learner: Counting, changes: Partial<RankHandle> = {}): RankHandle {
  const handle: RankHandle = {
    with: () => handle,
    ready: async () => undefined,
    address: async () => [],
    join: async (_others, _addresses, precision) => {
      learner.precision = precision;
      return precision;
    },
    swap: async () => undefined,
    shareState: async () => learner.train(),
    update: async () => learner.train(),
    weightsHash: async () => learner.weights,
    memory: async () => ({ peakRssBytes: 2, gpuUsedBytes: 5 }),
    ...changes,
  };
  return handle;
}

function ownOf(learner: Counting, update?: OwnLearner["update"]): OwnLearner {
  return {
    config: { precision: learner.precision },
    get policyVersion() {
      return learner.policyVersion;
    },
    get step() {
      return learner.step;
    },
    close: () => {
      learner.closed = true;
    },
    shareState: async () => undefined,
    weightsHash: () => learner.weights,
    saveCheckpoint: async () => {
      learner.saved += 1;
      return "folder";
    },
    update:
      update ??
      (async () => {
        learner.train();
        return { policyVersion: learner.policyVersion } as UpdateMetrics;
      }),
  };
}

async function ranksOf(own: OwnLearner, others: readonly RankHandle[]): Promise<LearnerRanks> {
  const ranks = new LearnerRanks(others, 60_000, 1);
  await ranks.meet(own, false);
  return ranks;
}

/** As `waiting`, between two of its micro-batches. */
const computing: OwnLearner["update"] = (_groups, options) =>
  new Promise((_resolve, reject) => {
    options?.signal?.addEventListener("abort", () =>
      reject(new LearnerError("ABORTED", "the update was aborted")),
    );
  });

/** What an update of this rank does while it waits for another: it ends when it is told to. */
const waiting: OwnLearner["update"] = (_groups, options) =>
  new Promise((_resolve, reject) => {
    options?.signal?.addEventListener("abort", () =>
      reject(new LearnerError("PEER_FAILED", "rank 1 is away")),
    );
  });

test("ranks take each step together, and save while their weights are the same (RANKS-3)", async () => {
  const [own, other] = [new Counting(), new Counting()];
  own.precision = "bfloat16";
  const ranks = await ranksOf(ownOf(own), [rankOf(other)]);
  expect(other.precision).toBe("bfloat16");
  expect(await ranks.update([], given)).toMatchObject({ policyVersion: 1 });
  expect(other.policyVersion).toBe(1);
  expect(await ranks.saveCheckpoint("root", checkpoint, { keepLast: 1 })).toBe("folder");
  expect(await ranks.memory({ peakRssBytes: 3, gpuBytes: 9 })).toEqual({
    peakRssBytes: 3,
    gpuUsedBytes: 5,
    gpuBytes: 9,
  });
  other.weights = "other";
  await expect(ranks.saveCheckpoint("root", checkpoint, { keepLast: 1 })).rejects.toMatchObject({
    code: "ACTOR_UNAVAILABLE",
    retryable: true,
    message: expect.stringMatching(/rank 1: it has weights other, but rank 0 has x/),
  });
  expect(own.saved).toBe(1);
});

test.each([
  ["waits", waiting],
  ["computes", computing],
])(
  "a rank that dies in a step ends it here at once, while this one %s, as an error that passes; nothing follows (RANKS-2)",
  async (_, update) => {
    const own = new Counting();
    const died = new PalimpsestError("ACTOR_DIED", "killed by signal 9");
    const ranks = await ranksOf(ownOf(own, update), [
      rankOf(new Counting()),
      rankOf(new Counting(), { update: () => Promise.reject(died) }),
    ]);
    const failed = {
      code: "ACTOR_UNAVAILABLE",
      retryable: true,
      message: expect.stringMatching(/rank 2: .*signal 9/),
    };
    await expect(ranks.update([], given)).rejects.toMatchObject(failed);
    expect(own.closed).toBe(true);
    await expect(ranks.update([], given)).rejects.toMatchObject(failed);
    await expect(ranks.saveCheckpoint("root", checkpoint, { keepLast: 1 })).rejects.toMatchObject(failed);
  },
);

test("a rank that dies after this one has applied the step takes it back, too", async () => {
  const own = new Counting();
  const died = new PalimpsestError("ACTOR_DIED", "killed by signal 9");
  const ranks = await ranksOf(ownOf(own), [rankOf(new Counting(), { update: () => Promise.reject(died) })]);
  await expect(ranks.update([], given)).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
  expect(() => ranks.policyVersion).toThrow(/restart from the last checkpoint/);
});

test("a rank that stands elsewhere after a step is distinguished", async () => {
  const other = new Counting();
  other.policyVersion = 4;
  const ranks = await ranksOf(ownOf(new Counting()), [rankOf(other)]);
  await expect(ranks.update([], given)).rejects.toMatchObject({
    code: "ACTOR_UNAVAILABLE",
    message: expect.stringMatching(
      /rank 1: it ended the step at another version than rank 0, which is at version 1/,
    ),
  });
});

test("what stops one learner's update is said as it is, and one learner is itself", async () => {
  const mismatch = new LearnerError("LOGPROB_MISMATCH", "they differ");
  const own = new Counting();
  const ranks = await ranksOf(
    ownOf(own, () => Promise.reject(mismatch)),
    [rankOf(new Counting())],
  );
  await expect(ranks.update([], given)).rejects.toBe(mismatch);
  const alone = new Counting();
  const one = await ranksOf(ownOf(alone), []);
  expect(one.peers).toBeUndefined();
  await one.update([], given);
  expect(await one.saveCheckpoint("root", checkpoint, { keepLast: 1 })).toBe("folder");
  expect(one.exchanged).toBeUndefined();
});
