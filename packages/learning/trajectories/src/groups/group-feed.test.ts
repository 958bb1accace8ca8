import { systemClock } from "@palimpsest/std";
import { createLogger } from "@palimpsest/telemetry";
import { beforeEach, expect, it } from "vitest";
import type { EpisodeFailure } from "../base/episode-failure.js";
import { newToken } from "../base/epoch.js";
import { specOf } from "../base/group-spec.js";
import { queueSettingsSchema } from "../base/queue-settings.js";
import type { LedgerStore } from "../store/ledger-store.js";
import { PayloadStore } from "../store/payload-store.js";
import { aGroupRequest, aTask, trajectoryOf } from "../testing/builders.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { GroupConsumer } from "./group-consumer.js";

const settings = queueSettingsSchema.parse({});
const room = { write: <T>(work: () => Promise<T>) => work() };
let ledger: MemoryLedgerStore;
/** Called by the connection when the store answers again after an outage. */
let reconnected: () => void;
/** Runs after a command was carried out and before it is answered. */
let beforeAnswer: Partial<Record<keyof LedgerStore, () => Promise<void>>>;

beforeEach(() => {
  ledger = new MemoryLedgerStore();
  beforeAnswer = {};
});

async function aLearner(): Promise<GroupConsumer> {
  const store = new Proxy<LedgerStore>(ledger, {
    get: (target, name: keyof LedgerStore) =>
      name === "onCompletion"
        ? (listener: () => void, onReconnect: () => void) => {
            reconnected = onReconnect;
            return target.onCompletion(listener, onReconnect);
          }
        : async (...given: unknown[]) => {
            const answer = await (target[name] as (...given: unknown[]) => Promise<unknown>).apply(
              target,
              given,
            );
            await beforeAnswer[name]?.();
            return answer;
          },
  });
  return await GroupConsumer.open(
    { minGroupSize: 1 },
    {
      store,
      jobs: { restore: async () => undefined },
      payloads: new PayloadStore({ store, room, settings }),
      settings: { stalledIntervalMs: 0, retryDelayMs: 1 },
      logger: createLogger({ component: "test", level: "silent" }),
      metrics: undefined,
      clock: systemClock,
    },
  );
}

/** Dispatches a group of one episode. */
async function dispatch(groupId: string): Promise<void> {
  const request = aGroupRequest({ groupId, groupSize: 1 });
  const spec = JSON.stringify(specOf(request));
  await ledger.claim([{ groupId, groupSize: 1, spec, taskBytes: 0 }], settings);
  await payloads().putTask(groupId, payloads().encodeTask(aTask()));
  await ledger.confirm([groupId]);
}

async function complete(groupId: string): Promise<void> {
  const key = { groupId, episodeIndex: 0 };
  const spec = specOf(aGroupRequest({ groupId, groupSize: 1 }));
  const episode = { ...spec, ...key, trajectoryId: `${groupId}.0`, task: aTask(), attempt: 1 };
  await payloads().putTrajectory(trajectoryOf(episode));
  const { trajectoryToken } = await payloads().sampledHead(key);
  await payloads().putScore(key, { reward: 1, components: {} }, { actorId: "", trajectoryToken });
}

const payloads = () => new PayloadStore({ store: ledger, room, settings });
const noFailures: readonly EpisodeFailure[] = [];

/** @returns a function that makes the store forget everything since this call */
function remembered(): () => void {
  const memory = ledger.snapshot();
  return () => ledger.restore(memory);
}

it("closes a group again that the store forgot to be closed, and does not return it (FEED-3)", async () => {
  const learner = await aLearner();
  await dispatch("a");
  await complete("a");
  await learner.nextGroups({ count: 1 });
  const forget = remembered();
  await learner.acknowledge(["a"]);
  forget();
  await dispatch("b");
  await complete("b");
  const { groups } = await learner.nextGroups({ count: 1 });
  expect(groups.map(({ groupId }) => groupId)).toEqual(["b"]);
  expect(await ledger.states(["a", "b"])).toEqual(["trained", "outstanding"]);
});

it("says again what is closed, and who may close, when the store is there again and nobody waits (FEED-4)", async () => {
  const older = await ledger.takeOver(newToken());
  await dispatch("a");
  await complete("a");
  const beforeTakeOver = remembered();
  const learner = await aLearner();
  await learner.nextGroups({ count: 1 });
  await learner.acknowledge(["a"]);
  beforeTakeOver();
  reconnected();
  const isTrained = async () => (await ledger.states(["a"]))[0] === "trained";
  await expect.poll(isTrained).toBe(true);
  const closing = { groupId: "a", outcome: "failed", trainedEpisodes: 0, droppedEpisodes: 1 } as const;
  expect(await ledger.close({ ...closing, failures: noFailures }, older)).toBe("fenced");
});

it("closes again what the store forgot before it answered (FEED-4)", async () => {
  const learner = await aLearner();
  await dispatch("a");
  await complete("a");
  await learner.nextGroups({ count: 1 });
  const forget = remembered();
  const isTrained = async () => (await ledger.states(["a"]))[0] === "trained";
  beforeAnswer.close = async () => {
    delete beforeAnswer.close;
    forget();
    reconnected();
    // The answer to the close that was lost arrives after all.
    await expect.poll(isTrained).toBe(true);
  };
  await learner.acknowledge(["a"]);
  expect(await isTrained()).toBe(true);
});

it("acknowledges a group that it had acknowledged and the store forgot (STEP-4, T1)", async () => {
  const learner = await aLearner();
  await dispatch("a");
  await complete("a");
  await learner.nextGroups({ count: 1 });
  const forget = remembered();
  await learner.acknowledge(["a"]);
  forget();
  await learner.acknowledge(["a"]);
  expect(await ledger.states(["a"])).toEqual(["trained"]);
});

it("does not wait for a group that another learner has closed since the store forgot the take-over (STEP-5)", async () => {
  const older = await ledger.takeOver(newToken());
  await dispatch("a");
  const beforeTakeOver = remembered();
  const learner = await aLearner();
  beforeTakeOver();
  await complete("a");
  const closing = { groupId: "a", outcome: "trained", trainedEpisodes: 1, droppedEpisodes: 0 } as const;
  expect(await ledger.close({ ...closing, failures: noFailures }, older)).toBe("closed");
  const waiting = learner.nextGroups({ count: 1, groupIds: ["a"] });
  await expect(waiting).rejects.toMatchObject({ code: "NOT_FOUND", retryable: true });
});

it("does not return a group whose last score the store lost after it had named the group complete (FEED-1, T1)", async () => {
  const learner = await aLearner();
  await dispatch("a");
  const forget = remembered();
  await complete("a");
  beforeAnswer.completeGroups = async () => {
    delete beforeAnswer.completeGroups;
    forget();
    // The job is done again.
    beforeAnswer.completeGroups = async () => {
      delete beforeAnswer.completeGroups;
      await complete("a");
    };
  };
  const { groups, failures } = await learner.nextGroups({ count: 1 });
  expect(failures).toEqual([]);
  expect(groups).toMatchObject([{ groupId: "a", members: [{}] }]);
});
