import type { Redis } from "ioredis";
import { clusterKeys, queueNames, type RunKeys, runKeys } from "../base/run-keys.js";
import { Queue } from "../redis/bullmq.js";
import { transaction } from "../redis/transaction.js";

/** The number of jobs of one queue by state. */
export interface QueueDepth {
  /** Run and queue, such as "run-1/rollouts". */
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly waitingChildren: number;
  readonly delayed: number;
  readonly failed: number;
}

/**
 * Returns the depths of the queues of every run of a cluster, sorted by run. A run's groups are listed next to its
 * queues: complete groups wait for the learner, the others wait for their episodes.
 */
export async function queueDepths(redis: Redis, clusterId = ""): Promise<readonly QueueDepth[]> {
  const runIds = (await redis.smembers(clusterKeys(clusterId).runs)).sort();
  return (await Promise.all(runIds.map((runId) => runDepths(redis, runId)))).flat();
}

async function runDepths(redis: Redis, runId: string): Promise<QueueDepth[]> {
  const keys = runKeys(runId);
  const jobs = queueNames.map(async (queueName): Promise<QueueDepth> => {
    const name = `${runId}/${queueName}`;
    // The queue object is opened for one request only, so a run that ends leaves nothing behind here.
    const queue = new Queue(queueName, {
      connection: redis,
      prefix: keys.bullmq,
      skipMetasUpdate: true,
      skipVersionCheck: true,
    });
    queue.on("error", () => {}); // The shared connection reports its own errors.
    try {
      const counts = await queue.getJobCounts("waiting", "active", "delayed", "failed");
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
      return { name, waiting, active, waitingChildren: 0, delayed, failed };
    } finally {
      await queue.close();
    }
  });
  return await Promise.all([...jobs, groupDepth(redis, runId, keys)]);
}

async function groupDepth(redis: Redis, runId: string, keys: RunKeys): Promise<QueueDepth> {
  const [outstanding, waiting, failed] = await transaction<[number, number, string | null]>(() =>
    redis.multi().hlen(keys.outstanding).zcard(keys.complete).hget(keys.counts, "groupsFailed"),
  );
  return {
    name: `${runId}/groups`,
    waiting,
    active: 0,
    waitingChildren: outstanding - waiting,
    delayed: 0,
    failed: Number(failed ?? 0),
  };
}
