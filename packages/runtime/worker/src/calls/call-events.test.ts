import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { CallEvents, type ListedCall } from "./call-events.js";

const about = { actorId: "actor-1", incarnation: 2, nodeId: "node-1", pid: 7, jobId: "job-1", role: "Echo" };
const intervalMs = 5;

function subject() {
  const reports: proto.TaskReport.$Properties[] = [];
  const calls = new Set<ListedCall>();
  const events = new CallEvents({ about, isTasks: false, intervalMs, report: (one) => reports.push(one) });
  events.watch(() => calls);
  return { reports, calls, events };
}

function call(callId: number, begunAtMs?: number): ListedCall {
  return { taskId: `t${callId}`, callerId: "session-1", methodName: "echo", arrivedAtMs: 1, begunAtMs };
}

test("what ended is told once, with who it is (CALLEVENTS-1)", async () => {
  const { reports, events } = subject();
  events.arrived();
  events.ended(call(1), "echo", "finished", 1, 2, undefined);
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]).toMatchObject({ ...about, reporterId: "actor-1.2", live: [] });
  expect(reports[0]?.ended).toMatchObject([{ taskId: "t1", callerId: "session-1", name: "echo" }]);
  events.arrived();
  events.ended(call(2), "echo", "finished", 1, 2, undefined);
  await expect.poll(() => reports.length).toBe(2);
  expect(reports[1]?.ended).toMatchObject([{ taskId: "t2" }]);
});

test("what runs and waits is told while it does, and once more when it is over (CALLEVENTS-2)", async () => {
  const { reports, calls, events } = subject();
  calls.add(call(1, 1)).add(call(2));
  events.arrived();
  await expect.poll(() => reports.length).toBeGreaterThan(2);
  expect(reports[0]?.live).toMatchObject([
    { taskId: "t1", state: 2 },
    { taskId: "t2", state: 1, startedAtUs: 0 },
  ]);
  expect(reports[0]?.counts).toMatchObject([{ name: "echo", pending: 1, running: 1 }]);
  calls.clear();
  await expect.poll(() => reports.at(-1)?.live).toEqual([]);
});

test("its end tells what is left", () => {
  const { reports, events } = subject();
  events.ended(call(1), "echo", "cancelled", undefined, 2, undefined);
  events.close();
  expect(reports).toHaveLength(1);
  events.close();
  expect(reports).toHaveLength(1);
});
