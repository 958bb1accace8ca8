import { beforeEach, expect, it } from "vitest";
import { trajectoryIdOf } from "../base/group-spec.js";
import { decodeScore } from "../codec/score-codec.js";
import { PayloadStore } from "../store/payload-store.js";
import { aTask, aTrajectory } from "../testing/builders.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { rewardWork } from "./reward-work.js";

const settings = { maxTrajectoryBytes: 10_000, maxFetchBytes: 10_000, rolloutTimeoutMs: 1_000 };
const room = { write: <T>(work: () => Promise<T>) => work() };
const spec = {
  groupId: "group-1",
  taskId: "task-1",
  groupSize: 1,
  agent: "memagent",
  seed: 1,
  minPolicyVersion: 0,
  step: 1,
  episodeIndex: 0,
};
const job = { id: trajectoryIdOf("group-1", 0), data: spec, attempt: 1 };
const signal = new AbortController().signal;

let ledger: MemoryLedgerStore;
let payloads: PayloadStore;

beforeEach(async () => {
  ledger = new MemoryLedgerStore();
  payloads = new PayloadStore({ store: ledger, room, settings });
  await ledger.claim([{ groupId: "group-1", groupSize: 1, spec: "", taskBytes: 0 }], {
    maxOutstandingGroups: 1,
    maxQueuedBytes: 1,
  });
  await payloads.putTask("group-1", payloads.encodeTask(aTask()));
});

it.each([false, true])(
  "scores the trajectory that is there, not the one that Redis lost meanwhile; tokens read: %s (REWARD-2, T4)",
  async (readsTokens) => {
    const empty = ledger.snapshot();
    await payloads.putTrajectory(aTrajectory({ answer: "lost" }));
    const scored: string[] = [];
    const work = rewardWork(
      {
        readsTokens,
        score: async (_task, { answer }) => {
          scored.push(answer);
          if (scored.length === 1) {
            ledger.restore(empty);
            await payloads.putTrajectory(aTrajectory({ answer: "sampled again" }));
          }
          return { reward: answer.length, components: {} };
        },
      },
      { payloads, metrics: undefined },
    );
    await work.run(job, signal);
    expect(scored).toEqual(["lost", "sampled again"]);
    const [episode] = (await ledger.group("group-1"))?.episodes ?? [];
    expect(decodeScore(episode?.score as Uint8Array)).toMatchObject({ reward: "sampled again".length });
  },
);

it("leaves an episode open whose trajectory Redis lost meanwhile: its rollout comes again (REWARD-2, T4)", async () => {
  const empty = ledger.snapshot();
  await payloads.putTrajectory(aTrajectory());
  const work = rewardWork(
    {
      score: async () => {
        ledger.restore(empty);
        return { reward: 1, components: {} };
      },
    },
    { payloads, metrics: undefined },
  );
  await expect(work.run(job, signal)).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await payloads.episode(spec)).toBe("open");
});
