import { createMetrics } from "@palimpsest/telemetry";
import { expect, test } from "vitest";
import { PhaseClock } from "./phase-clock.js";

test("phases count up to the reading, the one that goes on, too, and what was exchanged is no update", async () => {
  const metrics = createMetrics({ component: "learner", processMetrics: false });
  const clock = new PhaseClock();
  let exchanged = 0;
  clock.export(metrics, () => exchanged);
  const secondsOf = async (phase: string) => {
    const text = await metrics.registry.metrics();
    return Number(new RegExp(`phase="${phase}"[^}]*\\} (\\S+)`).exec(text)?.[1] ?? Number.NaN);
  };
  const began = performance.now();
  clock.enter("update");
  const entered = performance.now();
  while (performance.now() < entered + 20);
  exchanged = 0.005;
  const update = await secondsOf("update");
  expect(update).toBeGreaterThanOrEqual(0.015);
  expect(update).toBeLessThanOrEqual((performance.now() - began) / 1000);
  expect(await secondsOf("exchange")).toBe(0.005);
  clock.enter("rollout");
  const after = await secondsOf("update");
  expect(await secondsOf("update")).toBe(after);
  expect(await secondsOf("rollout")).toBeGreaterThan(0);
});
