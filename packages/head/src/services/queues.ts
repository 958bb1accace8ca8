import type { Metrics } from "@palimpsest/telemetry";
import type { QueueDepth } from "@palimpsest/trajectories";
import type { Redis } from "ioredis";

/**
 * The module is loaded on first use, because the queue library takes longer to load than the rest of the head takes to
 * start.
 */
const trajectories = () => import("@palimpsest/trajectories");

/** Returns the depths of every queue of every run of the cluster. */
export async function readQueueDepths(redis: Redis, clusterId: string): Promise<readonly QueueDepth[]> {
  return (await trajectories()).queueDepths(redis, clusterId);
}

/** Sets the gauges of the queues. */
export async function measureQueues(redis: Redis, clusterId: string, metrics: Metrics): Promise<void> {
  (await trajectories()).exportQueueDepths(metrics, await readQueueDepths(redis, clusterId));
}
