import { expect, test } from "vitest";
import type { TaskRow } from "../api/tasks.js";
import { callStatistics } from "./call-statistics.js";

const call: TaskRow = {
  id: "1",
  kind: "call",
  name: "add",
  role: "Counter",
  state: "finished",
  actorId: "a",
  nodeId: "n",
  pid: 1,
  jobId: "",
  queuedAtMs: 1,
  startedAtMs: 10,
  endedAtMs: 12,
  error: "",
};

test("counts, durations and the last error of each method, the busiest first", () => {
  const rows: TaskRow[] = [
    call,
    { ...call, endedAtMs: 30 },
    { ...call, endedAtMs: 11.5 },
    { ...call, state: "failed", endedAtMs: 13, error: "ACTOR_ERROR: first" },
    { ...call, state: "failed", endedAtMs: 14, error: "ACTOR_ERROR: second" },
    { ...call, state: "running", endedAtMs: 0 },
    { ...call, name: "rest", state: "pending", startedAtMs: 0, endedAtMs: 0 },
  ];
  expect(callStatistics(rows)).toEqual([
    {
      name: "add",
      finished: 3,
      failed: 2,
      running: 1,
      waiting: 0,
      medianMs: 3,
      longestMs: 20,
      lastError: "ACTOR_ERROR: second",
      lastErrorAtMs: 14,
    },
    {
      name: "rest",
      finished: 0,
      failed: 0,
      running: 0,
      waiting: 1,
      medianMs: undefined,
      longestMs: undefined,
      lastError: "",
      lastErrorAtMs: 0,
    },
  ]);
  expect(callStatistics([])).toEqual([]);
});
