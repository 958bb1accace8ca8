import type { TaskInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import { chromeTrace } from "./chrome-trace.js";
import { traceFormat } from "./testing.js";

const task = (over: Partial<TaskInfo>): TaskInfo => ({
  taskId: "t",
  kind: "call",
  name: "echo",
  state: "finished",
  actorId: "actor-1",
  incarnation: 1,
  role: "Echo",
  nodeId: "node-1",
  pid: 7,
  jobId: "",
  callerId: "session-1",
  errorCode: "",
  errorMessage: "",
  objectId: "",
  sizeBytes: 0,
  peerAddress: "",
  queuedAtMs: 1_000,
  startedAtMs: 1_001,
  endedAtMs: 1_003,
  ...over,
});

test("a trace is valid, in microseconds since the first event, with an arrow from caller to callee", () => {
  const trace = chromeTrace([task({})], 2_000);
  traceFormat.parse(trace);
  const slices = trace.traceEvents.filter(({ ph }) => ph === "X");
  expect(slices.map(({ name, ts, dur, pid }) => ({ name, ts, dur, pid }))).toEqual([
    { name: "echo", ts: 1_000, dur: 2_000, pid: 1 },
    { name: "→ echo", ts: 0, dur: 3_000, pid: 2 },
  ]);
  const [start, end] = trace.traceEvents.filter(({ ph }) => ph === "s" || ph === "f");
  expect([start?.id, start?.pid, start?.ts]).toEqual([1, 2, 0]);
  expect([end?.id, end?.pid, end?.ts, end?.bp]).toEqual([1, 1, 1_000, "e"]);
  const names = trace.traceEvents
    .filter(({ name }) => name === "process_name")
    .map(({ args }) => args?.["name"]);
  expect(names).toEqual(["Echo actor-1.1 on node-1 (pid 7)", "session-1"]);
});

test("what runs at once is in rows of its own, what runs one after another in one", () => {
  const tasks = [
    task({ taskId: "a", startedAtMs: 1_000, endedAtMs: 1_010, callerId: "" }),
    task({ taskId: "b", startedAtMs: 1_005, endedAtMs: 1_015, callerId: "" }),
    task({ taskId: "c", startedAtMs: 1_012, endedAtMs: 1_020, callerId: "" }),
  ];
  const rows = chromeTrace(tasks, 2_000).traceEvents.filter(({ ph }) => ph === "X");
  expect(rows.map(({ tid }) => tid)).toEqual([1, 2, 1]);
});

test("one that runs ends now, one that waits is not drawn, one that failed says why", () => {
  const tasks = [
    task({ state: "running", endedAtMs: 0, callerId: "" }),
    task({ state: "pending", startedAtMs: 0, endedAtMs: 0, actorId: "" }),
    task({ state: "failed", errorCode: "ACTOR_ERROR", errorMessage: "x", callerId: "" }),
    task({
      kind: "transfer",
      actorId: "",
      name: "fetch",
      objectId: "ab".repeat(20),
      sizeBytes: 5,
      callerId: "",
    }),
  ];
  const trace = chromeTrace(tasks, 2_001);
  traceFormat.parse(trace);
  const slices = trace.traceEvents.filter(({ ph }) => ph === "X");
  expect(slices).toHaveLength(3);
  expect(slices[0]?.dur).toBe(1_000_000);
  expect(slices[1]?.args).toMatchObject({ errorCode: "ACTOR_ERROR", errorMessage: "x" });
  expect(slices[2]).toMatchObject({ name: "fetch abababababab", cat: "transfer", args: { sizeBytes: 5 } });
});

test("a trace of nothing is valid", () => {
  expect(traceFormat.parse(chromeTrace([], 5)).traceEvents).toEqual([]);
});
