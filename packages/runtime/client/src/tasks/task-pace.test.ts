import { expect, test } from "vitest";
import { TaskPace } from "./task-pace.js";

test("one task at a time until it is known how long they take, then as many as take about ten milliseconds", () => {
  const pace = new TaskPace();
  expect(pace.ahead).toBe(1);
  for (let task = 0; task < 10; task++) pace.took(2);
  expect(pace.ahead).toBe(5);
  for (let round = 0; round < 20; round++) {
    pace.took(1);
    for (let task = 0; task < 99; task++) pace.took(0);
  }
  expect(pace.ahead).toBeGreaterThan(100);
  expect(pace.ahead).toBeLessThanOrEqual(256);
});

test("tasks that turn out to be long are no longer sent ahead", () => {
  const pace = new TaskPace();
  for (let task = 0; task < 100; task++) pace.took(0.01);
  pace.took(500);
  pace.took(500);
  expect(pace.ahead).toBe(1);
});
