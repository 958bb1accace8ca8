import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { TaskReports } from "./task-reports.js";

const { TASK_STATE_FINISHED, TASK_STATE_FAILED } = proto.TaskState;

function subject(perSecond: number) {
  const sent: proto.TaskReport.$Properties[] = [];
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => undefined;
    },
  };
  const reports = new TaskReports({
    about: { nodeId: "node-1", pid: 7, role: "node" },
    clock,
    send: (report) => sent.push(report),
  });
  reports.perSecond = perSecond;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { reports, sent, timers, pass };
}

const ended = (count: number, state = TASK_STATE_FINISHED) =>
  Array.from({ length: count }, () => ({ name: "echo", state }));

test("a second has so many events, failures first, and what is left out is counted (TASKREPORTS-1, TASKREPORTS-2)", () => {
  const { reports, sent, pass } = subject(10);
  reports.forward({ reporterId: "a", ended: ended(6) });
  reports.forward({ reporterId: "b", ended: [...ended(6), ...ended(2, TASK_STATE_FAILED)] });
  reports.forward({ reporterId: "c", ended: ended(3), counts: [{ name: "echo", finished: 3 }] });
  expect(sent.map((report) => report.ended?.length)).toEqual([6, 4, 0]);
  expect(sent[1]?.ended?.map(({ state }) => state)).toEqual([4, 4, 3, 3]);
  expect(sent[1]?.counts).toMatchObject([{ name: "echo", leftOut: 4 }]);
  expect(sent[2]?.counts).toMatchObject([
    { name: "echo", finished: 3 },
    { name: "echo", leftOut: 3 },
  ]);
  pass(1_000);
  reports.forward({ reporterId: "a", ended: ended(6) });
  expect(sent[3]?.ended).toHaveLength(6);
});

test("a head that keeps no events is sent none", () => {
  const { reports, sent } = subject(0);
  reports.forward({ reporterId: "a", ended: ended(1) });
  expect(sent).toEqual([]);
});

test("transfers of a second are one report of the node", () => {
  const { reports, sent, timers } = subject(10);
  const transfer = { objectId: "ab", sizeBytes: 5, peerAddress: "h:1", startedAtMs: 1, endedAtMs: 2 };
  reports.transferred({ ...transfer, error: undefined });
  reports.transferred({ ...transfer, error: undefined });
  expect(timers).toHaveLength(1);
  timers[0]?.();
  expect(sent).toMatchObject([
    {
      reporterId: "node-1",
      nodeId: "node-1",
      ended: [{ taskId: "node-1.1", objectId: "ab", sizeBytes: 5, peerAddress: "h:1", name: "fetch" }, {}],
    },
  ]);
});
