import { createMetrics } from "@palimpsest/telemetry";
import { expect, it } from "vitest";
import { exportQueueDepths } from "./queues.js";

it("exports the depths of queues, and forgets those that are gone", async () => {
  const metrics = createMetrics({ component: "head", processMetrics: false });
  const depth = { waiting: 2, active: 0, waitingChildren: 0, delayed: 0, failed: 0 };
  exportQueueDepths(metrics, [{ ...depth, name: "run-1/rollouts" }]);
  expect(await metrics.registry.metrics()).toContain(
    'palimpsest_queue_jobs{queue="run-1/rollouts",state="waiting",component="head"} 2',
  );
  exportQueueDepths(metrics, []);
  expect(await metrics.registry.metrics()).not.toContain("run-1");
});
