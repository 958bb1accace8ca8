/** Checks that both stores give the same answers, and that the answers are right. */
import { createLogger } from "@palimpsest/telemetry";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Epoch, newToken } from "../base/epoch.js";
import { runKeys } from "../base/run-keys.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { unaccounted } from "../testing/run-fixture.js";
import { type Closing, keptClosedGroups, type LedgerLimits, type LedgerStore } from "./ledger-store.js";
import { RedisLedgerStore } from "./redis-ledger-store.js";

const logger = createLogger({ component: "test", level: "silent" });
const roomy: LedgerLimits = { maxOutstandingGroups: 10, maxQueuedBytes: 1_000_000 };
let server: RedisServer;
let redis: Redis;
let runs = 0;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

function redisStore(): RedisLedgerStore {
  runs += 1;
  return new RedisLedgerStore({ redis, keys: runKeys(`run-${runs}`), payloadTtlMs: 60_000, logger });
}

/** Records who consumes the run. @returns a function that makes the store forget every change of that since */
async function remember(store: LedgerStore): Promise<() => Promise<void>> {
  if (store instanceof MemoryLedgerStore) {
    const memory = store.snapshot();
    return async () => store.restore(memory);
  }
  const key = runKeys(`run-${runs}`).consumerEpoch;
  const stored = (await redis.get(key)) ?? "";
  return async () => void (await redis.set(key, stored));
}

/** As `remember`, for the whole store. */
async function rememberAll(store: LedgerStore): Promise<() => Promise<void>> {
  if (store instanceof MemoryLedgerStore) return await remember(store);
  const keys = await redis.keys(`{palimpsest-run-${runs}}*`);
  const rows = await Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as const));
  return async () => {
    await redis.unlink(await redis.keys(`{palimpsest-run-${runs}}*`));
    for (const [key, row] of rows) await redis.restore(key, 0, row);
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);

function closing(groupId: string, fields: Partial<Closing> = {}): Closing {
  return { groupId, outcome: "trained", trainedEpisodes: 2, droppedEpisodes: 0, failures: [], ...fields };
}

describe.each([
  ["on Redis", redisStore],
  ["in memory", () => new MemoryLedgerStore()],
])("ledger store %s", (_name, open: () => LedgerStore) => {
  let store: LedgerStore;
  let epoch: Epoch;

  beforeEach(async () => {
    store = open();
    epoch = await store.takeOver(newToken());
  });

  /** Scores whatever the episode has. */
  async function score(groupId: string, episodeIndex: number, value: string) {
    const { trajectoryToken = "" } = await store.sampledHead(groupId, episodeIndex);
    return await store.putScore(groupId, episodeIndex, bytes(value), trajectoryToken);
  }

  async function claim(
    groupId: string,
    groupSize = 2,
    limits = roomy,
    taskBytes = 0,
  ): Promise<string | undefined> {
    const [state] = await store.claim(
      [{ groupId, groupSize, spec: `spec of ${groupId}`, taskBytes }],
      limits,
    );
    return state;
  }

  it("closes a group once, whatever is said later (LEDGER-1, T1)", async () => {
    await claim("a");
    expect(await store.close(closing("a"), epoch)).toBe("closed");
    expect(await store.close(closing("a"), epoch)).toBe("unknown");
    expect(await store.close(closing("a", { outcome: "failed", reason: "STALE_POLICY" }), epoch)).toBe(
      "unknown",
    );
    expect(await store.close(closing("never-claimed"), epoch)).toBe("unknown");
    expect(await claim("a")).toBe("trained");
    expect(await store.counts()).toEqual({
      groups: { dispatched: 1, outstanding: 0, trained: 1, failed: 0 },
      episodes: { dispatched: 2, trained: 2, failed: 0, dropped: 0 },
      queuedBytes: 0,
    });
  });

  it("deletes payloads as it closes, and only then (LEDGER-8)", async () => {
    await claim("a", 2, roomy, 4);
    expect(await store.putTask("a", bytes("task"))).toBe(true);
    expect(await store.putTrajectory("a", 0, bytes("long trajectory"))).toBe("open");
    expect(await score("a", 0, "one")).toBe("sampled");
    expect(await store.putFailure("a", 1, "no")).toBe("open");
    expect((await store.counts()).queuedBytes).toBe(4 + 15 + 3 + 2);
    expect(await store.close(closing("a"), { ...epoch, number: epoch.number - 1 })).toBe("fenced");
    expect(text(await store.task("a"))).toBe("task");
    expect(await store.group("a")).toEqual({
      spec: "spec of a",
      episodes: [{ trajectoryBytes: 15, score: expect.anything() }, { failure: "no" }],
    });
    await store.close(closing("a"), epoch);
    expect(await store.task("a")).toBeUndefined();
    expect(await store.trajectory("a", 0)).toBeUndefined();
    expect(await store.group("a")).toBeUndefined();
    expect((await store.counts()).queuedBytes).toBe(0);
  });

  it("keeps the first trajectory and the first end of an episode (LEDGER-5, T1)", async () => {
    await claim("a");
    expect(await store.episode("a", 0)).toBe("open");
    expect(await store.putTrajectory("a", 0, bytes("first"))).toBe("open");
    expect(await store.putTrajectory("a", 0, bytes("second"))).toBe("sampled");
    expect(text(await store.trajectory("a", 0))).toBe("first");
    expect(await store.episode("a", 0)).toBe("sampled");
    expect(await score("a", 0, "1")).toBe("sampled");
    expect(await score("a", 0, "2")).toBe("ended");
    expect(await store.putFailure("a", 0, "late")).toBe("ended");
    const [episode] = (await store.group("a"))?.episodes ?? [];
    expect(text(episode?.score)).toBe("1");
    expect(episode?.failure).toBeUndefined();
  });

  it("stores nothing for a group that is not outstanding or an episode that has ended (LEDGER-6)", async () => {
    expect(await store.putTask("gone", bytes("x"))).toBe(false);
    expect(await store.putTrajectory("gone", 0, bytes("x"))).toBeUndefined();
    expect(await score("gone", 0, "x")).toBeUndefined();
    expect(await store.putFailure("gone", 0, "x")).toBeUndefined();
    expect(await store.episode("gone", 0)).toBeUndefined();
    await claim("a");
    expect(await store.putTrajectory("a", 2, bytes("beyond its size"))).toBeUndefined();
    await store.putFailure("a", 0, "no");
    expect(await store.putTrajectory("a", 0, bytes("late"))).toBe("ended");
    expect(await store.trajectory("a", 0)).toBeUndefined();
  });

  it("lists a group as complete until it is closed, to the newest epoch alone (LEDGER-4, LEDGER-7, T1)", async () => {
    let told = 0;
    const heard = new Promise<void>((resolve) => {
      void store.onCompletion(() => {
        told += 1;
        resolve();
      }, resolve);
    });
    await store.counts();
    for (const groupId of ["a", "b"]) {
      await claim(groupId);
      await store.putFailure(groupId, 0, "no");
      expect((await store.completeGroups(epoch, 0))?.groupIds).not.toContain(groupId);
      await score(groupId, 1, "1");
    }
    await heard;
    expect(told).toBeGreaterThan(0);
    const all = await store.completeGroups(epoch, 0);
    expect(all?.groupIds).toEqual(["a", "b"]);
    expect((await store.completeGroups(epoch, 0))?.groupIds).toEqual(["a", "b"]);
    expect((await store.completeGroups(epoch, all?.cursor ?? 0))?.groupIds).toEqual([]);
    const next = await store.takeOver(newToken());
    expect(next.number).toBeGreaterThan(epoch.number);
    expect(await store.completeGroups(epoch, 0)).toBeUndefined();
    expect(await store.rememberTrained(["z"], epoch)).toBe("fenced");
    await store.close(closing("a"), next);
    expect((await store.completeGroups(next, 0))?.groupIds).toEqual(["b"]);
  });

  it("fences a learner whose number was taken again after a loss, and keeps one whose number was forgotten (LEDGER-4)", async () => {
    await claim("a");
    const restore = await remember(store);
    const lost = await store.takeOver(newToken());
    await restore();
    const other = await store.takeOver(newToken());
    expect(other.number).toBe(lost.number);
    expect(await store.close(closing("a"), lost)).toBe("fenced");
    expect(await store.completeGroups(lost, 0)).toBeUndefined();
    expect(await store.rememberTrained(["z"], lost)).toBe("fenced");
    await restore();
    // Nobody else has taken over, so the forgotten learner continues, and the older one is fenced again.
    expect(await store.close(closing("a"), other)).toBe("closed");
    expect(await store.completeGroups(epoch, 0)).toBeUndefined();
  });

  it("takes over once with one token, however often the command is sent (LEDGER-4)", async () => {
    const token = newToken();
    const first = await store.takeOver(token);
    expect(await store.takeOver(token)).toEqual(first);
    expect(await store.completeGroups(first, 0)).toBeDefined();
    expect((await store.takeOver(newToken())).number).toBe(first.number + 1);
  });

  it.each([10, 100_000])(
    "records a score for the trajectory of %i bytes that was scored, and for no other (LEDGER-9, T4)",
    async (size) => {
      await claim("a");
      const forget = await rememberAll(store);
      await store.putTrajectory("a", 0, new Uint8Array(size).fill(1));
      const { trajectoryToken: lost = "" } = await store.sampledHead("a", 0);
      await forget();
      expect(await store.putScore("a", 0, bytes("of the lost one"), lost)).toBe("replaced");
      await store.putTrajectory("a", 0, new Uint8Array(size).fill(2));
      expect(await store.putScore("a", 0, bytes("of the lost one"), lost)).toBe("replaced");
      expect(await store.episode("a", 0)).toBe("sampled");
      expect(await score("a", 0, "of the second")).toBe("sampled");
      expect(await store.putScore("a", 0, bytes("of the lost one"), lost)).toBe("ended");
      expect(text((await store.group("a"))?.episodes[0]?.score)).toBe("of the second");
    },
  );

  it("gives the head of a sampled episode, with the state of any other (LEDGER-6)", async () => {
    expect(await store.sampledHead("gone", 0)).toEqual({ state: undefined });
    await claim("a");
    expect(await store.sampledHead("a", 0)).toEqual({ state: "open" });
    await store.putTrajectory("a", 0, bytes("head and columns"), 4);
    const { state, bytes: head } = await store.sampledHead("a", 0);
    expect([state, text(head)]).toEqual(["sampled", "head"]);
    await score("a", 0, "1");
    expect(await store.sampledHead("a", 0)).toEqual({ state: "ended" });
  });

  it("keeps the first of two large trajectories, which are staged, and leaves nothing of the second (LEDGER-5, LEDGER-6)", async () => {
    const large = (fill: number) => new Uint8Array(100_000).fill(fill);
    await claim("a");
    const states = await Promise.all([
      store.putTrajectory("a", 0, large(1), 10),
      store.putTrajectory("a", 0, large(2), 20),
      store.putTrajectory("gone", 0, large(3)),
    ]);
    expect(states).toEqual(["open", "sampled", undefined]);
    expect((await store.trajectory("a", 0))?.every((byte) => byte === 1)).toBe(true);
    expect((await store.sampledHead("a", 0)).bytes).toHaveLength(10);
    expect((await store.counts()).queuedBytes).toBe(100_000);
    expect(await redis.keys("*:staged:*")).toEqual([]);
  });

  it("lets a claim be made again until it is confirmed or its group complete (T1)", async () => {
    expect(await claim("a")).toBe("claimed");
    expect(await claim("a")).toBe("claimed");
    await store.putTask("a", bytes("task"));
    expect(await store.confirm(["a"])).toEqual([]);
    expect(await claim("a")).toBe("outstanding");
    await claim("b", 1);
    await store.putFailure("b", 0, "no");
    expect(await claim("b", 1)).toBe("outstanding");
  });

  it("confirms no claim that it lost, or whose task it lost (DISPATCH-4, T1)", async () => {
    await claim("no-task");
    await claim("closed");
    await store.close(closing("closed"), epoch);
    await claim("complete", 1);
    await store.putFailure("complete", 0, "no");
    expect(await store.confirm(["no-task", "lost", "closed", "complete"])).toEqual(["no-task", "lost"]);
    expect(await claim("no-task")).toBe("claimed");
  });

  it("names the groups that it does not know and those whose claim was not confirmed (STEP-3, T1)", async () => {
    for (const groupId of ["confirmed", "claimed", "closed"]) {
      await claim(groupId);
      await store.putTask(groupId, bytes("task"));
    }
    await store.confirm(["confirmed"]);
    await store.close(closing("closed"), epoch);
    await claim("complete", 1);
    await store.putFailure("complete", 0, "no");
    expect(await store.undispatched(["lost", "confirmed", "claimed", "closed", "complete"])).toEqual([
      "lost",
      "claimed",
    ]);
  });

  it("refuses claims above its limits in groups and expected bytes, but always admits one group (LEDGER-3)", async () => {
    expect(await claim("a", 2, { maxOutstandingGroups: 1, maxQueuedBytes: 1 })).toBe("claimed");
    expect(await claim("b", 2, { maxOutstandingGroups: 1, maxQueuedBytes: 1_000 })).toBe("full");
    await store.putTrajectory("a", 0, bytes("x".repeat(100)));
    // 100 bytes are stored; one more episode of a and two of b are expected to be equally large.
    expect(await claim("b", 2, { maxOutstandingGroups: 9, maxQueuedBytes: 449 }, 50)).toBe("full");
    expect(await claim("b", 2, { maxOutstandingGroups: 9, maxQueuedBytes: 450 }, 50)).toBe("claimed");
    await store.close(closing("a"), epoch);
    await store.close(closing("b"), epoch);
    expect(await claim("c", 100, { maxOutstandingGroups: 9, maxQueuedBytes: 400 })).toBe("claimed");
  });

  it("knows the state of each group and why it failed", async () => {
    for (const groupId of ["a", "b", "c"]) {
      await claim(groupId);
    }
    await store.close(closing("a"), epoch);
    const failure = { trajectoryId: "b.0", groupId: "b", stage: "rollout", message: "no" } as const;
    const fields = { outcome: "failed", reason: "BELOW_MIN_GROUP_SIZE", trainedEpisodes: 0 } as const;
    await store.close(closing("b", { ...fields, droppedEpisodes: 1, failures: [failure] }), epoch);
    expect(await store.states(["a", "b", "c", "d"])).toEqual(["trained", "failed", "outstanding", undefined]);
    expect(await store.failedGroups()).toEqual({ b: "BELOW_MIN_GROUP_SIZE" });
    expect(await store.failures()).toEqual([failure]);
    expect(await store.outstanding()).toEqual(["c"]);
  });

  it("remembers as trained what a checkpoint holds and the store lost (T1)", async () => {
    await claim("a");
    await store.rememberTrained(["a", "lost"], epoch);
    expect(await store.states(["a", "lost"])).toEqual(["outstanding", "trained"]);
    expect(await claim("lost")).toBe("trained");
    expect((await store.counts()).groups).toMatchObject({ dispatched: 1, trained: 0 });
  });

  it("forgets the oldest closed groups, so that a long run stays small", async () => {
    const ids = Array.from({ length: keptClosedGroups }, (_, at) => `old-${at}`);
    for (let start = 0; start < ids.length; start += 4096) {
      await store.rememberTrained(ids.slice(start, start + 4096), epoch);
    }
    await store.rememberTrained(["one-more"], epoch);
    expect(await store.states(["old-0", "old-1", "one-more"])).toEqual([undefined, "trained", "trained"]);
  });
});

const groupId = fc.constantFrom("a", "b", "c");
const episodeIndex = fc.constantFrom(0, 1);
const operation = fc.oneof(
  fc.record({ kind: fc.constant("claim" as const), groupId }),
  fc.record({ kind: fc.constant("confirm" as const), groupId }),
  fc.record({ kind: fc.constant("task" as const), groupId }),
  fc.record({ kind: fc.constant("trajectory" as const), groupId, episodeIndex, size: fc.nat(60) }),
  fc.record({ kind: fc.constant("score" as const), groupId, episodeIndex }),
  fc.record({ kind: fc.constant("failure" as const), groupId, episodeIndex }),
  fc.record({ kind: fc.constantFrom("trained" as const, "failed" as const), groupId }),
  fc.record({ kind: fc.constant("look" as const) }),
  fc.record({ kind: fc.constant("takeOver" as const) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Step = Exclude<Operation, { kind: "takeOver" }>;

async function scoreStored(
  store: LedgerStore,
  { groupId, episodeIndex }: { groupId: string; episodeIndex: number },
) {
  const { trajectoryToken = "" } = await store.sampledHead(groupId, episodeIndex);
  return await store.putScore(groupId, episodeIndex, bytes("1"), trajectoryToken);
}

/** Performs one operation and returns everything of it that can be observed. */
async function answer(store: LedgerStore, epoch: Epoch, step: Step): Promise<unknown> {
  switch (step.kind) {
    case "claim":
      return await store.claim([{ groupId: step.groupId, groupSize: 2, spec: step.groupId, taskBytes: 4 }], {
        maxOutstandingGroups: 2,
        maxQueuedBytes: 120,
      });
    case "confirm":
      return await store.confirm([step.groupId]);
    case "task":
      return await store.putTask(step.groupId, bytes("task"));
    case "trajectory":
      return await store.putTrajectory(step.groupId, step.episodeIndex, new Uint8Array(step.size));
    case "score":
      return await scoreStored(store, step);
    case "failure":
      return await store.putFailure(step.groupId, step.episodeIndex, "no");
    case "look":
      return [await store.completeGroups(epoch, 0), await store.undispatched(["a", "b", "c", "d"])];
    default: {
      const { episodes = [] } = (await store.group(step.groupId)) ?? {};
      const members = episodes.filter(({ score }) => score).length;
      const failures = episodes.flatMap(({ score }, at) =>
        score
          ? []
          : [
              {
                trajectoryId: `${step.groupId}.${at}`,
                groupId: step.groupId,
                stage: "group" as const,
                message: "",
              },
            ],
      );
      const how =
        step.kind === "trained"
          ? { trainedEpisodes: members }
          : { trainedEpisodes: 0, droppedEpisodes: members };
      return await store.close(closing(step.groupId, { outcome: step.kind, failures, ...how }), epoch);
    }
  }
}

it("both stores answer alike after any sequence, and the account holds (LEDGER-1 to LEDGER-8)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 60 }), async (steps) => {
      const onRedis = redisStore();
      const inMemory = new MemoryLedgerStore();
      let epochs = [await inMemory.takeOver(newToken()), await onRedis.takeOver(newToken())] as const;
      expect(epochs[0].number).toBe(epochs[1].number);
      for (const step of steps) {
        if (step.kind === "takeOver") {
          const next = [await inMemory.takeOver(newToken()), await onRedis.takeOver(newToken())] as const;
          expect(next[0].number).toBe(next[1].number);
          // Every other take-over is by the learner that continues; after the others it is fenced for a while.
          if (next[0].number % 2 === 0) epochs = next;
          continue;
        }
        const mine = await answer(inMemory, epochs[0], step);
        expect(await answer(onRedis, epochs[1], step), JSON.stringify(step)).toEqual(mine);
      }
      const counts = await inMemory.counts();
      expect(await onRedis.counts()).toEqual(counts);
      expect(unaccounted(counts).groups).toBe(0);
      expect(unaccounted(counts).episodes).toBe(2 * counts.groups.outstanding);
      for (const id of ["a", "b", "c"]) {
        const groups = await Promise.all([onRedis, inMemory].map((store) => store.group(id)));
        const shown = groups.map((group) =>
          group?.episodes.map(({ score, ...rest }) => ({ ...rest, score: text(score) })),
        );
        expect(shown[0]).toEqual(shown[1]);
      }
    }),
    { seed: 1, numRuns: 60 },
  );
});
