import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { encodeTrajectory } from "../codec/trajectory-codec.js";
import type { GroupConsumer } from "../groups/group-consumer.js";
import { aGroupRequest, aTrajectory, trajectoryOf } from "../testing/builders.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { RunFixture, unaccounted } from "../testing/run-fixture.js";
import type { RunQueues } from "./run-queues.js";

let server: RedisServer;
const fixture = new RunFixture(() => server);
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
  }
  await fixture.end();
});
afterAll(() => server.close());

describe("take-over from dead consumers", () => {
  it("gives jobs of a consumer that left without a word to another one (JOB-1, T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const dying = await fixture.open();
    const begun = new Counter();
    await dying.consumeRollouts({
      concurrency: 8,
      run: () => {
        begun.add();
        return new Promise(() => {});
      },
    });
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 4 })]);
    await begun.reaches(4);
    await dying.close({ deadlineMs: 0 });
    await fixture.openWorkers();
    await expectAllTrainedOnce(trainer, consumer, 1, 4);
  });

  it("gives running jobs back at once when a consumer closes in order, without using up an attempt (JOB-2, T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    const leaving = await fixture.open({ settings: { lockDurationMs: 60_000 } });
    const begun = new Counter();
    await leaving.consumeRollouts({
      concurrency: 8,
      run: async (_episode, signal) => {
        begun.add();
        await once(signal, "abort");
        throw signal.reason;
      },
    });
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 4 })]);
    await begun.reaches(4);
    await leaving.close();
    const attempts: number[] = [];
    await fixture.openWorkers({
      run: async (episode) => {
        attempts.push(episode.attempt);
        return trajectoryOf(episode);
      },
    });
    await expectAllTrainedOnce(trainer, consumer, 1, 4);
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it("keeps the first trajectory when a consumer that was taken for dead finishes late (T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups({ minGroupSize: 1 });
    const begun = new Counter();
    const finish = new Counter();
    const finished = new Counter();
    const late = await (await fixture.open()).consumeRollouts({
      concurrency: 1,
      run: async (episode) => {
        begun.add();
        await finish.reaches(1);
        finished.add();
        return trajectoryOf(episode, { answer: "late" });
      },
    });
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 1 })]);
    await begun.reaches(1);
    // Its connection stays open, so that the late result gets as far as it can.
    await late.close({ deadlineMs: 0 });
    await fixture.openWorkers({
      run: async (episode) => trajectoryOf(episode, { answer: "first" }),
      score: async () => {
        finish.add();
        await finished.reaches(1);
        return { reward: 1, components: {} };
      },
    });
    await expectAllTrainedOnce(trainer, consumer, 1, 1, "first");
  });

  it("does not run an episode again when its consumer died after storing the trajectory (ROLLOUT-1, T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    await trainer.ledger.putTrajectory("group-1", 0, encodeTrajectory(aTrajectory()));
    const run: string[] = [];
    await fixture.openWorkers({
      run: async (episode) => {
        run.push(episode.trajectoryId);
        return trajectoryOf(episode);
      },
    });
    await expectAllTrainedOnce(trainer, consumer, 1, 2);
    expect(run).toEqual(["group-1.1"]);
  });

  it("fails an episode that kills every process that takes it, and goes on (T1, T4)", async () => {
    const settings = { lockDurationMs: 200, stalledIntervalMs: 50, maxStalledCount: 1 };
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups({ minGroupSize: 1 });
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 2 })]);
    for (let death = 0; death < 2; death++) {
      const dying = await fixture.open({ settings });
      const begun = new Counter();
      await dying.consumeRollouts({
        concurrency: 2,
        run: (episode) => {
          if (episode.episodeIndex === 1) {
            return Promise.resolve(trajectoryOf(episode));
          }
          begun.add();
          return new Promise(() => {});
        },
      });
      await begun.reaches(1);
      // The other episode must not die with it a second time.
      while ((await trainer.ledger.episode("group-1", 1)) === "open");
      await dying.close({ deadlineMs: 0 });
    }
    const last = await fixture.open({ settings });
    await last.consumeRollouts({ concurrency: 2, run: async (episode) => trajectoryOf(episode) });
    await last.consumeRewards({ concurrency: 2, score: async () => ({ reward: 1, components: {} }) });
    const { groups, failures } = await consumer.nextGroups({ count: 1 });
    expect(groups[0]?.members).toHaveLength(1);
    expect(failures).toMatchObject([{ trajectoryId: "group-1.0", stage: "rollout" }]);
    expect(failures[0]?.message).toContain("lost its consumer 2 times, more than maxStalledCount 1");
  });

  it("takes over from a process that was killed while it held jobs (T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupSize: 4 })]);
    await killAfter(startWorkerProcess("hang"), 4);
    await fixture.openWorkers();
    await expectAllTrainedOnce(trainer, consumer, 1, 4);
  });

  it("loses and doubles nothing when processes are killed again and again in the middle of work (T1)", async () => {
    const trainer = await fixture.open();
    const consumer = await trainer.consumeGroups();
    await trainer.dispatchGroups(
      Array.from({ length: 40 }, (_, index) => aGroupRequest({ groupId: `g-${index}`, groupSize: 4 })),
    );
    for (const lines of [3, 11, 22, 35]) {
      await killAfter(startWorkerProcess("work"), lines);
    }
    await fixture.openWorkers();
    await expectAllTrainedOnce(trainer, consumer, 40, 160);
  });
});

describe("a learner that starts again", () => {
  it("gets the groups that its predecessor held, at once, and only those not yet acknowledged (CONSUMER-1, FEED-1, T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const first = await trainer.consumeGroups();
    await trainer.dispatchGroups(["g-1", "g-2", "g-3"].map((groupId) => aGroupRequest({ groupId })));
    await first.nextGroups({ count: 3 });
    await first.acknowledge(["g-1"]);
    // It is not closed: the predecessor has vanished, and its locks remain.
    const restarted = await fixture.open();
    const second = await restarted.consumeGroups();
    const { groups } = await second.nextGroups({ count: 2 });
    expect(groups.map(({ groupId }) => groupId)).toEqual(["g-2", "g-3"]);
    await second.acknowledge(["g-2", "g-3"]);
    const counts = await restarted.ledger.counts();
    expect(counts.groups).toEqual({ dispatched: 3, outstanding: 0, trained: 3, failed: 0 });
    expect(unaccounted(counts)).toEqual({ groups: 0, episodes: 0 });
  });

  it("does not get a group that its checkpoint was trained on (T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const first = await trainer.consumeGroups();
    await trainer.dispatchGroups(["g-1", "g-2"].map((groupId) => aGroupRequest({ groupId })));
    await first.nextGroups({ count: 2 });
    // The checkpoint was committed, and the acknowledgement was not sent.
    const restarted = await fixture.open();
    const second = await restarted.consumeGroups({ alreadyConsumed: ["g-1", "never-dispatched"] });
    expect(await restarted.dispatchGroups([aGroupRequest({ groupId: "g-1" })])).toEqual(["trained"]);
    const { groups } = await second.nextGroups({ count: 1 });
    expect(groups.map(({ groupId }) => groupId)).toEqual(["g-2"]);
    await second.acknowledge(["g-1", "g-2"]);
    const counts = await restarted.ledger.counts();
    expect(counts.groups).toMatchObject({ dispatched: 2, trained: 2 });
    expect(counts.episodes).toEqual({ dispatched: 8, trained: 8, failed: 0, dropped: 0 });
  });

  it("fences off the old one: it can neither acknowledge nor get groups (FEED-2, T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const old = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest({ groupId: "g-1" })]);
    await old.nextGroups({ count: 1 });
    const newer = await (await fixture.open()).consumeGroups();
    await expect(old.acknowledge(["g-1"])).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    const waiting = old.nextGroups({ count: 1 });
    const refused = expect(waiting).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    // Either one may fetch this group first; the newer one has to get it.
    await trainer.dispatchGroups([aGroupRequest({ groupId: "g-2" })]);
    const { groups } = await newer.nextGroups({ count: 2 });
    expect(groups.map(({ groupId }) => groupId)).toEqual(["g-1", "g-2"]);
    await refused;
  });

  it("finds the groups of one that closed in order back on the queue (T1)", async () => {
    await fixture.openWorkers();
    const trainer = await fixture.open();
    const first = await trainer.consumeGroups();
    await trainer.dispatchGroups([aGroupRequest()]);
    await first.nextGroups({ count: 1 });
    await first.close();
    await first.close();
    const second = await trainer.consumeGroups();
    expect((await second.nextGroups({ count: 1 })).groups).toHaveLength(1);
    expect((await trainer.ledger.counts()).groups).toMatchObject({ outstanding: 1, trained: 0 });
  });
});

/** Trains on everything and checks that each episode arrived exactly once and that the ledger balances. */
async function expectAllTrainedOnce(
  trainer: RunQueues,
  consumer: GroupConsumer,
  groupCount: number,
  episodeCount: number,
  answer = "42",
): Promise<void> {
  const { groups, dropped, failures } = await consumer.nextGroups({ count: groupCount });
  expect(dropped).toEqual([]);
  expect(failures).toEqual([]);
  const ids = groups.flatMap(({ members }) => members.map(({ trajectory }) => trajectory.trajectoryId));
  expect(ids).toHaveLength(episodeCount);
  expect(new Set(ids).size).toBe(episodeCount);
  for (const { trajectory } of groups.flatMap(({ members }) => members)) {
    expect(trajectory.answer).toBe(answer);
  }
  await consumer.acknowledge(groups.map(({ groupId }) => groupId));
  const counts = await trainer.ledger.counts();
  expect(counts.groups).toEqual({ dispatched: groupCount, outstanding: 0, trained: groupCount, failed: 0 });
  expect(counts.episodes).toEqual({ dispatched: episodeCount, trained: episodeCount, failed: 0, dropped: 0 });
}

function startWorkerProcess(mode: "hang" | "work"): ChildProcess {
  const main = fileURLToPath(new URL("../../dist/testing/worker-process.js", import.meta.url));
  if (!existsSync(main)) {
    throw new Error(`${main} is missing; run "tsc -b packages/learning/trajectories" before this test`);
  }
  const child = spawn(process.execPath, [main, server.url, fixture.runId, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

/** Kills the process at the moment that it has begun this many episodes. */
async function killAfter(child: ChildProcess, lines: number): Promise<void> {
  if (child.stdout === null) {
    throw new Error("the process has no output to watch");
  }
  let seen = 0;
  for await (const _line of createInterface({ input: child.stdout })) {
    seen += 1;
    if (seen === lines) {
      break;
    }
  }
  expect(seen).toBe(lines);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

class Counter {
  #count = 0;
  readonly #waiting: { readonly target: number; readonly resolve: () => void }[] = [];

  add(): void {
    this.#count += 1;
    for (const { target, resolve } of this.#waiting) {
      if (this.#count >= target) {
        resolve();
      }
    }
  }

  async reaches(target: number): Promise<void> {
    if (this.#count < target) {
      await new Promise<void>((resolve) => {
        this.#waiting.push({ target, resolve });
      });
    }
  }
}
