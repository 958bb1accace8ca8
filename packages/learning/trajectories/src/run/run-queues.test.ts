import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Episode, specOf } from "../base/group-spec.js";
import { runKeys } from "../base/run-keys.js";
import { trajectoryFormat } from "../codec/trajectory-codec.js";
import type { GroupState } from "../store/ledger-store.js";
import { aGroupRequest, aTask, trajectoryOf } from "../testing/builders.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture, unaccounted } from "../testing/run-fixture.js";
import { queueDepths } from "./queue-depths.js";
import type { RunQueues } from "./run-queues.js";

let server: RedisServer;
let redis: Redis;
const fixture = new RunFixture(() => server);

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterEach(() => fixture.end());
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

describe("run queues", () => {
  it("carries episodes to the learner with task, seed and score, in their order (CONSUMER-5, T1)", async () => {
    const episodes: Episode[] = [];
    await fixture.openWorkers({
      run: async (episode) => {
        episodes.push(episode);
        return trajectoryOf(episode, { answer: `answer ${episode.episodeIndex}` });
      },
      score: async (task, trajectory) => ({
        reward: trajectory.episodeIndex / 2,
        components: { documentLength: task.document.length },
      }),
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const task = aTask({ id: "task-9", document: "word ".repeat(1000) });
    expect(
      await trainer.dispatchGroups([aGroupRequest({ groupId: "g-1", task, groupSize: 3, step: 4 })]),
    ).toEqual(["added"]);
    const { groups, dropped, failures } = await consumer.nextGroups({ count: 1 });

    expect(dropped).toEqual([]);
    expect(failures).toEqual([]);
    expect(groups).toMatchObject([{ groupId: "g-1", taskId: "task-9", groupSize: 3 }]);
    expect(groups[0]?.members.map(({ trajectory }) => trajectory.trajectoryId)).toEqual([
      "g-1.0",
      "g-1.1",
      "g-1.2",
    ]);
    expect(groups[0]?.members.map(({ score }) => score)).toEqual(
      [0, 0.5, 1].map((reward) => ({ reward, components: { documentLength: 5000 } })),
    );
    expect(episodes).toHaveLength(3);
    expect(episodes[0]).toMatchObject({ task, step: 4, agent: "memagent", minPolicyVersion: 0, attempt: 1 });
    expect(new Set(episodes.map(({ seed }) => seed)).size).toBe(3);
  });

  it("fails a rejected group with its reason, once, by the next learner too, and balances its account (CONSUMER-6, T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const groupIds = ["g-1", "g-2", "g-3"];
    for (const groupId of groupIds) await trainer.dispatchGroups([aGroupRequest({ groupId, groupSize: 2 })]);
    const { groups } = await consumer.nextGroups({ count: 3 });
    expect(groups).toHaveLength(3);
    await consumer.reject(["g-1"]);
    await consumer.reject(["g-1"]);
    await consumer.acknowledge(["g-2"]);
    // It dies in between. Its checkpoint names all three, and one that Redis lost.
    const next = await (await fixture.open()).consumeGroups({
      alreadyConsumed: ["g-2"],
      alreadyRejected: () => ["g-1", "g-3", "g-lost"],
    });
    expect(await trainer.ledger.failedGroups()).toEqual({ "g-1": "ZERO_VARIANCE", "g-3": "ZERO_VARIANCE" });
    expect(await trainer.dispatchGroups([aGroupRequest({ groupId: "g-lost", groupSize: 2 })])).not.toEqual([
      "added",
    ]);
    const counts = await trainer.ledger.counts();
    expect(counts.groups).toEqual({ dispatched: 3, outstanding: 0, trained: 1, failed: 2 });
    expect(counts.episodes).toEqual({ dispatched: 6, trained: 2, failed: 0, dropped: 4 });
    expect(counts.queuedBytes).toBe(0);
    expect(next.delivered).toEqual([]);
  });

  it("keeps a group until it is acknowledged, then deletes every payload and job (T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    await consumer.nextGroups({ count: 1 });
    const prefix = `{palimpsest-${fixture.runId}}`;
    expect((await redis.keys(`${prefix}:trajectory:*`)).sort()).toEqual([
      `${prefix}:trajectory:group-1.0`,
      `${prefix}:trajectory:group-1.1`,
    ]);
    expect(await redis.pttl(`${prefix}:trajectory:group-1.0`)).toBeGreaterThan(0);
    expect(await stateOf(trainer, "group-1")).toBe("outstanding");

    await consumer.acknowledge(["group-1"]);
    await consumer.acknowledge(["group-1"]);
    expect(await stateOf(trainer, "group-1")).toBe("trained");
    expect(await redis.keys(`${prefix}:*group-1*`)).toEqual([]);
    const counts = await trainer.ledger.counts();
    expect(counts.episodes).toEqual({ dispatched: 2, trained: 2, failed: 0, dropped: 0 });
    expect(unaccounted(counts)).toEqual({ groups: 0, episodes: 0 });
  });

  it("tries a failed rollout and a failed reward again, with the same seed (T1)", async () => {
    const seeds = new Map<string, number[]>();
    const scored = new Map<string, number>();
    await fixture.openWorkers({
      run: async (episode) => {
        const earlier = seeds.get(episode.trajectoryId) ?? [];
        seeds.set(episode.trajectoryId, [...earlier, episode.seed]);
        if (episode.attempt < 3) {
          throw new Error(`attempt ${episode.attempt}`);
        }
        return trajectoryOf(episode);
      },
      score: async (_task, { trajectoryId }) => {
        scored.set(trajectoryId, (scored.get(trajectoryId) ?? 0) + 1);
        if (scored.get(trajectoryId) === 1) {
          throw new Error("judge is away");
        }
        return { reward: 1, components: {} };
      },
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    const { groups } = await consumer.nextGroups({ count: 1 });
    expect(groups[0]?.members).toHaveLength(2);
    for (const attempts of seeds.values()) {
      expect(attempts).toHaveLength(3);
      expect(new Set(attempts).size).toBe(1);
    }
    expect([...scored.values()]).toEqual([2, 2]);
  });

  it("leaves out episodes that failed for good, with stage and error, never as a zero (REWARD-1, T4)", async () => {
    await fixture.openWorkers({
      run: async (episode) => {
        if (episode.episodeIndex === 1) {
          throw new Error("out of memory");
        }
        return trajectoryOf(episode);
      },
      score: async (_task, { episodeIndex }) => ({
        reward: episodeIndex === 2 ? Number.NaN : 0,
        components: {},
      }),
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 4 })]);
    const { groups, failures } = await consumer.nextGroups({ count: 1 });
    expect(groups[0]?.members.map(({ trajectory }) => trajectory.episodeIndex)).toEqual([0, 3]);
    expect(failures).toEqual([
      { trajectoryId: "group-1.1", groupId: "group-1", stage: "rollout", message: "out of memory" },
      { trajectoryId: "group-1.2", groupId: "group-1", stage: "reward", message: "[CODEC] reward is NaN" },
    ]);
    await consumer.acknowledge(["group-1"]);
    const counts = await trainer.ledger.counts();
    expect(counts.episodes).toEqual({ dispatched: 4, trained: 2, failed: 2, dropped: 0 });
    expect(await trainer.ledger.failures()).toHaveLength(2);
  });

  it("drops a group below its minimum size whole and counts it once (T1, T4)", async () => {
    await fixture.openWorkers({
      run: async (episode) => {
        if (episode.groupId === "g-bad" && episode.episodeIndex > 0) {
          throw new Error("no");
        }
        return trajectoryOf(episode);
      },
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups({ minGroupSize: 2 });
    await trainer.dispatchGroups([
      aGroupRequest({ groupId: "g-bad", groupSize: 3 }),
      aGroupRequest({ groupId: "g-good", groupSize: 3 }),
    ]);
    const batch = await consumer.nextGroups({ count: 2 });
    expect(batch.groups.map(({ groupId }) => groupId)).toEqual(["g-good"]);
    expect(batch.dropped).toEqual([
      { groupId: "g-bad", taskId: "task-1", step: 0, reason: "BELOW_MIN_GROUP_SIZE" },
    ]);
    await consumer.acknowledge(["g-good"]);
    expect(await trainer.ledger.failedGroups()).toEqual({ "g-bad": "BELOW_MIN_GROUP_SIZE" });
    const counts = await trainer.ledger.counts();
    expect(counts.groups).toEqual({ dispatched: 2, outstanding: 0, trained: 1, failed: 1 });
    expect(counts.episodes).toEqual({ dispatched: 6, trained: 3, failed: 2, dropped: 1 });
  });

  it("fails a group that is too many policy versions old and keeps one that is not (CONSUMER-3, T2)", async () => {
    await fixture.openWorkers({
      run: async (episode) =>
        trajectoryOf(episode, {
          policyVersionMin: episode.groupId === "g-old" && episode.episodeIndex === 1 ? 2 : 3,
          policyVersionMax: 4,
        }),
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups({ maxStaleness: 2 });
    await trainer.dispatchGroups([aGroupRequest({ groupId: "g-old" }), aGroupRequest({ groupId: "g-new" })]);
    const batch = await consumer.nextGroups({ count: 2, policyVersion: 5 });
    expect(batch.groups.map(({ groupId }) => groupId)).toEqual(["g-new"]);
    expect(batch.dropped).toMatchObject([{ groupId: "g-old", reason: "STALE_POLICY" }]);
  });

  it("returns groups of the step that was asked for, sorted, and keeps the others (CONSUMER-5, T6)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const ids = ["a3", "a1", "a2"];
    await trainer.dispatchGroups([
      ...ids.map((groupId) => aGroupRequest({ groupId: `${groupId}-next`, step: 1 })),
      ...ids.map((groupId) => aGroupRequest({ groupId, step: 0 })),
    ]);
    const first = await consumer.nextGroups({ count: 3, step: 0 });
    expect(first.groups.map(({ groupId }) => groupId)).toEqual(["a1", "a2", "a3"]);
    const second = await consumer.nextGroups({ count: 3, step: 1 });
    expect(second.groups.map(({ groupId }) => groupId)).toEqual(["a1-next", "a2-next", "a3-next"]);
  });

  it("returns a released group again", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest()]);
    await consumer.nextGroups({ count: 1 });
    consumer.release(["group-1"]);
    expect((await consumer.nextGroups({ count: 1 })).groups).toHaveLength(1);
  });

  it("stops waiting for groups when the signal aborts, and loses none", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const abort = new AbortController();
    const waiting = consumer.nextGroups({ count: 1, signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    await trainer.dispatchGroups([aGroupRequest()]);
    await fixture.openWorkers();
    expect((await consumer.nextGroups({ count: 1 })).groups).toHaveLength(1);
  });

  it("refuses to acknowledge a group that it did not return", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest()]);
    await expect(consumer.acknowledge(["group-1"])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(consumer.acknowledge(["nobody"])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("dispatches a group once, whoever asks and in whatever state it is (DISPATCH-1, T1)", async () => {
    let runs = 0;
    await fixture.openWorkers({
      run: async (episode) => {
        runs += 1;
        return trajectoryOf(episode);
      },
    });
    const [one, two] = await Promise.all([fixture.open(), fixture.open()]);
    const request = aGroupRequest({ groupSize: 4 });
    expect(await one.dispatchGroups([request, request])).toEqual(["added", "added"]);
    expect(await two.dispatchGroups([request])).toEqual(["outstanding"]);
    const consumer = await one.consumeGroups();
    await consumer.nextGroups({ count: 1 });
    expect(await two.dispatchGroups([request])).toEqual(["outstanding"]);
    await consumer.acknowledge(["group-1"]);
    expect(await two.dispatchGroups([request])).toEqual(["trained"]);
    expect(runs).toBe(4);
    expect((await one.ledger.counts()).groups).toEqual({
      dispatched: 1,
      outstanding: 0,
      trained: 1,
      failed: 0,
    });
  });

  it("completes a dispatch whose producer died after the claim (T1)", async () => {
    const trainer = await fixture.open();
    const spec = JSON.stringify(specOf(aGroupRequest()));
    await trainer.ledger.claim([{ groupId: "group-1", groupSize: 4, spec, taskBytes: 0 }], trainer.settings);
    expect(await trainer.dispatchGroups([aGroupRequest()])).toEqual(["added"]);
    expect((await depthsOf(fixture.runId))["rollouts"]).toMatchObject({ waiting: 4 });
    expect((await trainer.ledger.counts()).groups).toMatchObject({ dispatched: 1, outstanding: 1 });
  });

  it("adds no job again when the producer died after adding them, even if they are done (EPISODEJOBS-1, T1)", async () => {
    const trainer = await fixture.open();
    const workers = await fixture.openWorkers();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest()]);
    await consumer.nextGroups({ count: 1 });
    await workers.close();
    await redis.sadd(`{palimpsest-${fixture.runId}}:ledger:dispatching`, "group-1");
    expect(await trainer.dispatchGroups([aGroupRequest()])).toEqual(["outstanding"]);
    const depths = await depthsOf(fixture.runId);
    expect(depths["rollouts"]).toMatchObject({ waiting: 0 });
    expect(depths["rewards"]).toMatchObject({ waiting: 0 });
  });

  it("waits for room above maxOutstandingGroups, or refuses when told so", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open({ settings: { maxOutstandingGroups: 2 } });
    const consumer = await trainer.consumeGroups();
    const requests = ["g-1", "g-2", "g-3"].map((groupId) => aGroupRequest({ groupId }));
    await expect(trainer.dispatchGroups(requests, { whenFull: "refuse" })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
    expect(await trainer.ledger.outstanding()).toEqual(["g-1", "g-2"]);
    const abort = new AbortController();
    const cancelled = trainer.dispatchGroups(requests, { signal: abort.signal });
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "CANCELLED" });

    const waiting = trainer.dispatchGroups(requests);
    const { groups } = await consumer.nextGroups({ count: 2 });
    await consumer.acknowledge(groups.map(({ groupId }) => groupId));
    expect(await waiting).toEqual(["outstanding", "outstanding", "added"]);
    expect((await consumer.nextGroups({ count: 1 })).groups.map(({ groupId }) => groupId)).toEqual(["g-3"]);
  });

  it("refuses settings out of bounds, and ids and sizes that could not be keys or jobs", async () => {
    const trainer = await fixture.open();
    for (const groupId of ["", "a:b", "12", "a b", "x".repeat(129), "a*"]) {
      await expect(trainer.dispatchGroups([aGroupRequest({ groupId })])).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
    await expect(trainer.dispatchGroups([aGroupRequest({ groupSize: 0 })])).rejects.toThrow("groupSize");
    await expect(fixture.open({ settings: { attempts: 0 } })).rejects.toThrow(/CONFIG_INVALID.*attempts/s);
    await expect(fixture.open({ runId: "a{b}" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("fails an episode whose trajectory belongs to another one (T1)", async () => {
    await fixture.openWorkers({
      run: async (episode) => trajectoryOf(episode, { trajectoryId: "group-1.0" }),
    });
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    const { dropped, failures } = await consumer.nextGroups({ count: 1 });
    expect(dropped).toHaveLength(1);
    expect(failures.map(({ trajectoryId }) => trajectoryId)).toEqual(["group-1.1"]);
    expect(failures[0]?.message).toContain("trajectoryId of the trajectory");
  });

  it("keeps runs apart and tells the depths of all queues", async () => {
    const one = await fixture.open();
    const two = await fixture.open({ runId: `${fixture.runId}-b` });
    await one.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    await two.dispatchGroups([aGroupRequest({ groupSize: 3 })]);
    expect(await depthsOf(fixture.runId)).toEqual({
      rollouts: { waiting: 2, active: 0, waitingChildren: 0, delayed: 0, failed: 0 },
      rewards: { waiting: 0, active: 0, waitingChildren: 0, delayed: 0, failed: 0 },
      groups: { waiting: 0, active: 0, waitingChildren: 1, delayed: 0, failed: 0 },
    });
    expect((await depthsOf(`${fixture.runId}-b`))["rollouts"]).toMatchObject({ waiting: 3 });
  });

  it("retires a run: it is listed no longer, can still be read, and goes by itself", async () => {
    const queues = await fixture.open();
    await queues.dispatchGroups([aGroupRequest()]);
    expect(await depthsOf(fixture.runId)).not.toEqual({});
    await queues.retire(600_000);
    expect(await depthsOf(fixture.runId)).toEqual({});
    expect((await queues.ledger.counts()).groups.dispatched).toBe(1);
    const keys = await redis.keys(`{palimpsest-${fixture.runId}}:*`);
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) {
      const leftMs = await redis.pttl(key);
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(600_000);
    }
  });

  it("is refused when another version wrote its trajectories, which stay as they are", async () => {
    const queues = await fixture.open();
    await queues.dispatchGroups([aGroupRequest()]);
    const { format, counts } = runKeys(fixture.runId);
    for (const stored of [String(trajectoryFormat + 1), undefined]) {
      await (stored === undefined ? redis.del(format) : redis.set(format, stored));
      const opening = fixture.open();
      await expect(opening).rejects.toMatchObject({ code: "CODEC" });
      await expect(opening).rejects.toThrow(
        `run ${fixture.runId} is in Redis with trajectories of format ${stored ?? 1}`,
      );
    }
    expect(await redis.exists(counts)).toBe(1);
  });

  it("lists the runs of its own cluster alone", async () => {
    const queues = await fixture.open({ clusterId: "one" });
    await queues.dispatchGroups([aGroupRequest()]);
    const namesOf = async (clusterId: string) =>
      (await queueDepths(redis, clusterId)).filter(({ name }) => name.startsWith(fixture.runId));
    expect(await namesOf("one")).toHaveLength(3);
    expect(await namesOf("two")).toEqual([]);
    await queues.obliterate();
    expect(await namesOf("one")).toEqual([]);
  });

  it("obliterates one run, keeps its summary and leaves the others", async () => {
    const one = await fixture.open();
    const two = await fixture.open({ runId: `${fixture.runId}-b` });
    await one.dispatchGroups([aGroupRequest()]);
    await two.dispatchGroups([aGroupRequest()]);
    const summary = await one.obliterate();
    expect(summary).toMatchObject({ runId: fixture.runId, counts: { groups: { dispatched: 1 } } });
    expect(await redis.keys(`{palimpsest-${fixture.runId}}:*`)).toEqual([]);
    expect(await depthsOf(fixture.runId)).toEqual({});
    expect(JSON.parse((await redis.hget("palimpsest:run-summaries:", fixture.runId)) ?? "")).toEqual(summary);
    expect((await two.ledger.counts()).groups.outstanding).toBe(1);
  });
});

async function stateOf(queues: RunQueues, groupId: string): Promise<GroupState | undefined> {
  const [state] = await queues.ledger.states([groupId]);
  return state;
}

async function depthsOf(runId: string): Promise<Record<string, object>> {
  const depths = await queueDepths(redis);
  return Object.fromEntries(
    depths
      .filter(({ name }) => name.startsWith(`${runId}/`))
      .map(({ name, ...counts }) => [name.slice(runId.length + 1), counts]),
  );
}
