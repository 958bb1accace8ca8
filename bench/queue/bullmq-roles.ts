import { Redis } from "ioredis";
import type { Trajectory } from "../../packages/learning/trajectories/dist/index.js";
import {
  FlowProducer,
  Worker,
} from "../../packages/learning/trajectories/node_modules/bullmq/dist/esm/index.js";
import type { Roles } from "./role.js";
import { sizedTrajectories, sumOfColumns } from "./sized-trajectory.js";

const concurrency = 64;
const outstandingGroups = 64;
const options = { removeOnComplete: true, removeOnFail: true };

const connectionTo = (url: string) => new Redis(url, { maxRetriesPerRequest: null });

/** The implementation with BullMQ alone: a flow of group, rewards and rollouts, with the data as JSON in the jobs. */
export const bullmqRoles: Roles = {
  async rollout({ redisUrl, bytes }) {
    const [trajectory] = sizedTrajectories(bytes, 1);
    new Worker("rollouts", async (job) => ({ ...trajectory, trajectoryId: job.id }), {
      connection: connectionTo(redisUrl),
      concurrency,
    });
  },
  async reward({ redisUrl }) {
    const work = async (job: { getChildrenValues(): Promise<Record<string, unknown>> }) => {
      const [trajectory] = Object.values(await job.getChildrenValues());
      return { trajectory, score: { reward: 1, components: { f1: 0.5 } } };
    };
    new Worker("rewards", work, { connection: connectionTo(redisUrl), concurrency });
  },
  async producer({ redisUrl, groupSize }) {
    const connection = connectionTo(redisUrl);
    const flows = new FlowProducer({ connection });
    for (let at = 0; ; at++) {
      while ((await connection.zcard("bull:groups:waiting-children")) >= outstandingGroups) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await flows.add({
        name: "group",
        queueName: "groups",
        opts: options,
        children: Array.from({ length: groupSize }, (_, index) => ({
          name: "reward",
          queueName: "rewards",
          opts: options,
          children: [{ name: "rollout", queueName: "rollouts", data: { group: at, index }, opts: options }],
        })),
      });
    }
  },
  async learner({ redisUrl }, consumed) {
    const work = async (job: { getChildrenValues(): Promise<Record<string, unknown>> }) => {
      const scored = Object.values(await job.getChildrenValues()) as { trajectory: Trajectory }[];
      for (const { trajectory } of scored) sumOfColumns(trajectory);
      consumed(scored.length);
    };
    new Worker("groups", work, { connection: connectionTo(redisUrl), concurrency: 16 });
  },
};
