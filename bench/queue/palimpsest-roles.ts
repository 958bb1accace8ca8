import type { RunQueues, Trajectory } from "../../packages/learning/trajectories/dist/index.js";
import type { Roles } from "./role.js";
import { sizedTrajectories, sumCounter, sumOfColumns } from "./sized-trajectory.js";

const concurrency = 64;
const outstandingGroups = 64;
const groupsPerStep = 16;
/** Trajectories are prepared before the measurement, so that it does not include generating random numbers. */
const preparedTrajectories = 64;

/** The roles of a run on `RunQueues`, of this checkout or of the built one whose index is named. */
export function palimpsestRoles(index: string): Roles {
  async function open(redisUrl: string): Promise<RunQueues> {
    const trajectories = (await import(index)) as { RunQueues: typeof RunQueues };
    return await trajectories.RunQueues.open({
      redisUrl,
      runId: "bench",
      settings: { maxOutstandingGroups: outstandingGroups },
    });
  }
  return {
    async rollout({ redisUrl, bytes }) {
      const prepared = sizedTrajectories(bytes, preparedTrajectories);
      let next = 0;
      await (await open(redisUrl)).consumeRollouts({
        concurrency,
        run: async ({ trajectoryId, groupId, taskId, episodeIndex }) => ({
          ...(prepared[next++ % prepared.length] as Trajectory),
          trajectoryId,
          groupId,
          taskId,
          episodeIndex,
        }),
      });
    },
    async reward({ redisUrl }) {
      await (await open(redisUrl)).consumeRewards({
        concurrency,
        // Reads the texts, as a reward does.
        score: async ({ answers }, { answer, memorySteps }) => ({
          reward: memorySteps.filter(({ memory }) => answers.some((right) => memory.includes(right))).length,
          components: { f1: answers.some((right) => answer.includes(right)) ? 1 : 0 },
        }),
      });
    },
    async producer({ redisUrl, groupSize }) {
      const queues = await open(redisUrl);
      const task = { id: "task", question: "What?", answers: ["42"], document: "", metadata: {} };
      for (let at = 0; ; at += groupsPerStep) {
        await queues.dispatchGroups(
          Array.from({ length: groupsPerStep }, (_, place) => ({
            groupId: `group-${String(at + place).padStart(7, "0")}`,
            task,
            groupSize,
            agent: "memagent",
            seed: at + place,
            minPolicyVersion: 0,
            step: 0,
          })),
        );
      }
    },
    async learner({ redisUrl }, consumed) {
      const groups = await (await open(redisUrl)).consumeGroups();
      for (;;) {
        const batch = await groups.nextGroups({ count: groupsPerStep });
        if (batch.dropped.length > 0) throw new Error(`dropped: ${JSON.stringify(batch.failures[0])}`);
        for (const { trajectory } of batch.groups.flatMap(({ members }) => members)) {
          const sum = sumOfColumns(trajectory);
          const expected = trajectory.counters?.[sumCounter];
          if (sum !== expected) throw new Error(`${trajectory.trajectoryId} sums to ${sum}, not ${expected}`);
        }
        await groups.acknowledge(batch.groups.map(({ groupId }) => groupId));
        consumed(batch.groups.reduce((sum, { members }) => sum + members.length, 0));
      }
    },
  };
}
