import type { Metrics } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";

/** How much waits in a queue of a training run. */
export interface QueueDepth {
  /** Run and queue, such as "run-1/rollouts". */
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly waitingChildren: number;
  readonly delayed: number;
  readonly failed: number;
}

/** Reads the depths of every queue of every run of a cluster. What the queues are is not the head's business: it is handed in. */
export type ReadQueueDepths = (redis: Redis, clusterId: string) => Promise<readonly QueueDepth[]>;

/** Sets the gauge palimpsest_queue_jobs, and removes queues that no longer exist from it. */
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
