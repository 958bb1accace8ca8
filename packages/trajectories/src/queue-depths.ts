import type { Metrics } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";
import { queueNames, runKeys, runsKey } from "./run-keys.js";

/** Jobs of one queue by state. */
export interface QueueDepth {
  /** Run and queue, such as "run-1/rollouts". */
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly waitingChildren: number;
  readonly delayed: number;
  readonly failed: number;
}

/** Depths of every queue of every run, sorted by name. One round trip a run. */
export async function queueDepths(redis: Redis): Promise<readonly QueueDepth[]> {
  const runIds = (await redis.smembers(runsKey)).sort();
  return (await Promise.all(runIds.map((runId) => runDepths(redis, runId)))).flat();
}

async function runDepths(redis: Redis, runId: string): Promise<QueueDepth[]> {
  const keys = runKeys(runId);
  const pipeline = redis.pipeline();
  for (const name of queueNames) {
    pipeline
      .llen(keys.queue(name, "wait"))
      .llen(keys.queue(name, "active"))
      .zcard(keys.queue(name, "waiting-children"))
      .zcard(keys.queue(name, "delayed"))
      .zcard(keys.queue(name, "failed"));
  }
  const counts = ((await pipeline.exec()) ?? []).map(([error, count]) => {
    if (error) {
      throw error;
    }
    return Number(count);
  });
  return queueNames.map((name, index) => {
    const [waiting = 0, active = 0, waitingChildren = 0, delayed = 0, failed = 0] = counts.slice(
      index * 5,
      index * 5 + 5,
    );
    return { name: `${runId}/${name}`, waiting, active, waitingChildren, delayed, failed };
  });
}

/** Sets the gauge palimpsest_queue_jobs; queues that are gone leave it. */
export function exportQueueDepths(metrics: Metrics, depths: readonly QueueDepth[]): void {
  const gauge = metrics.gauge("palimpsest_queue_jobs");
  gauge.reset();
  for (const { name, waiting, active, waitingChildren, delayed, failed } of depths) {
    gauge.set({ queue: name, state: "waiting" }, waiting);
    gauge.set({ queue: name, state: "active" }, active);
    gauge.set({ queue: name, state: "waiting_children" }, waitingChildren);
    gauge.set({ queue: name, state: "delayed" }, delayed);
    gauge.set({ queue: name, state: "failed" }, failed);
  }
}
