import type { RunQueues } from "../../packages/trajectories/dist/index.js";
import type { Roles } from "./role.js";
import { sizedTrajectory } from "./sized-trajectory.js";

const concurrency = 64;
const outstandingGroups = 64;
const groupsPerStep = 16;

/** The roles of a run on `RunQueues`: of this checkout, or of the built one whose index is named. */
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
      const trajectory = sizedTrajectory(bytes);
      await (await open(redisUrl)).consumeRollouts({
        concurrency,
        run: async ({ trajectoryId, groupId, taskId, episodeIndex }) => ({
          ...trajectory,
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
        score: async (_task, { conversations }) => ({
          reward: conversations.length,
          components: { f1: 0.5 },
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
        await groups.acknowledge(batch.groups.map(({ groupId }) => groupId));
        consumed(batch.groups.reduce((sum, { members }) => sum + members.length, 0));
      }
    },
  };
}
