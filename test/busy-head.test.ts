import { expect, test } from "vitest";
import { BusyMonth } from "../bench/month/busy-month.js";

const minutes = 250;

test("a head that has lived twice as long has no more rows, timers, series, events and live tasks", async () => {
  const month = await BusyMonth.open({ maxDeadActors: 30, maxEndedJobs: 40, nodeLifeMinutes: 20 });
  const live = async () => {
    for (let minute = 0; minute < minutes; minute++) await month.minute();
    const { actors, storeRows, storeBytes, timers, metricsBytes, live } = await month.size();
    return { actors, storeRows, storeBytes, timers, metricsBytes, live };
  };
  const first = await live();
  const second = await live();
  await month.close();
  expect(first.actors).toBeGreaterThan(100);
  for (const [name, size] of Object.entries(first))
    expect(second[name as keyof typeof second], name).toBeLessThan(1.1 * size + 5);
});
