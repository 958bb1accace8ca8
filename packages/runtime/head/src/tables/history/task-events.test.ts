import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { createTaskEventRpcs } from "../../services/task-event-rpcs.js";
import { aSpec } from "../../testing/builders.js";
import { settle } from "../../testing/manual-clock.js";
import { TestPlane } from "../../testing/plane.js";
import { TaskEvents } from "./task-events.js";

const { TASK_STATE_FINISHED, TASK_STATE_FAILED, TASK_STATE_RUNNING } = proto.TaskState;
const clock = { now: () => 1_000, monotonicMs: () => 0, after: () => () => undefined };
const everything = () => true;
const withReporters = (isAlive = everything) => new TaskEvents(clock, isAlive);

function finished(count: number, over: proto.TaskEvent.$Properties = {}): proto.TaskEvent.$Properties[] {
  return Array.from({ length: count }, (_, index) => ({
    taskId: `t${index}`,
    name: "echo",
    kind: proto.TaskKind.TASK_KIND_CALL,
    state: TASK_STATE_FINISHED,
    ...over,
  }));
}

test("of each job the newest are kept, failures beside a flood of successes (TASKEVENTS-1)", () => {
  const events = withReporters();
  events.report({ reporterId: "a", jobId: "job-1", ended: finished(3, { state: TASK_STATE_FAILED }) });
  for (let round = 0; round < 30; round++)
    events.report({ reporterId: "a", jobId: "job-1", ended: finished(1_000) });
  events.report({ reporterId: "b", jobId: "job-2", ended: finished(2) });
  expect(events.size).toBe(16_000 + 3 + 2);
  const failed = events.ended("job-1", ({ state }) => state === TASK_STATE_FAILED);
  expect(failed.map(({ taskId }) => taskId)).toEqual(["t2", "t1", "t0"]);
  for (let job = 3; job < 10; job++)
    for (let round = 0; round < 20; round++)
      events.report({ reporterId: "a", jobId: `job-${job}`, ended: finished(1_000) });
  expect(events.size).toBeLessThanOrEqual(50_000);
  expect(events.ended("job-2", everything)).toHaveLength(2);
  expect([...events.ended("", everything)]).toHaveLength(events.size);
});

test("events of long texts are bounded by their bytes, and gone with their job (TASKEVENTS-1, TASKEVENTS-3)", () => {
  const events = withReporters();
  const long = "x".repeat(1_000);
  const texts = {
    name: long,
    role: long,
    callerId: long,
    errorMessage: long,
    nodeId: long,
    peerAddress: long,
  };
  for (let round = 0; round < 40; round++)
    for (const jobId of ["job-1", "job-2"])
      events.report({
        reporterId: "a",
        jobId,
        ended: finished(400, texts),
        counts: [{ kind: 2, name: "echo" }],
      });
  // Each has six texts that were cut to 200 characters, beside about 300 bytes.
  expect(events.size).toBeLessThan((32 * 1024 * 1024) / 1_500);
  expect(events.size).toBeGreaterThan((32 * 1024 * 1024) / 2_000);
  const kept = ["job-1", "job-2"].map((jobId) => events.ended(jobId, everything).length);
  expect(Math.max(...kept)).toBeLessThan(1.3 * Math.min(...kept));
  events.forget("job-1");
  expect(events.size).toBe(kept[1]);
  expect(events.summary("").map(({ jobId }) => jobId)).toEqual(["job-2"]);
});

test("names beyond the bound are counted together, and counts are those of all (TASKEVENTS-3)", () => {
  const events = withReporters();
  const count = (name: string) => ({ kind: 2, name, finished: 2, leftOut: 1, ranUs: 10 });
  for (let name = 0; name < 1_200; name++)
    events.report({ reporterId: "a", jobId: "job-1", counts: [count(`name${name}`), count("echo")] });
  const rows = events.summary("");
  expect(rows.length).toBe(1_001);
  expect(rows.find(({ name }) => name === "echo")).toMatchObject({ finished: 2_400, leftOut: 1_200 });
  const others = rows.find(({ name }) => name === "(others)");
  expect(rows.reduce((sum, row) => sum + Number(row.finished), 0)).toBe(4_800);
  expect(others?.finished).toBeGreaterThan(0);
});

test("what ran in a process that is gone has failed; what waited is no more (TASKEVENTS-2)", () => {
  const events = withReporters();
  const live = [
    { taskId: "t1", name: "spin", kind: 2, state: TASK_STATE_RUNNING },
    { taskId: "t2", name: "spin", kind: 2, state: proto.TaskState.TASK_STATE_PENDING },
  ];
  const counts = [{ kind: 2, name: "spin", running: 1, pending: 1 }];
  events.report({ reporterId: "w.1", actorId: "w", incarnation: 1, live, counts });
  expect([...events.live()].map(({ taskId }) => taskId)).toEqual(["t1", "t2"]);
  expect(events.summary("")).toMatchObject([{ name: "spin", running: 1, pending: 1, failed: 0 }]);
  events.reporterEnded("w.1", { code: "WORKER_DIED", message: "killed by SIGKILL" });
  expect([...events.live()]).toEqual([]);
  expect(events.ended("", everything)).toMatchObject([
    { taskId: "t1", state: TASK_STATE_FAILED, errorCode: "WORKER_DIED", errorMessage: "killed by SIGKILL" },
  ]);
  expect(events.summary("")).toMatchObject([{ name: "spin", running: 0, pending: 0, failed: 1 }]);
});

test("a process that is gone has no live tasks, whenever its reports arrive (TASKEVENTS-2)", async () => {
  const subject = await TestPlane.open();
  const { lifecycle, sessions, history } = subject.plane;
  const running = (reporterId: string) =>
    history.tasks.report({ reporterId, live: [{ taskId: reporterId, state: TASK_STATE_RUNNING }] });
  const live = () => [...history.tasks.live()].map(({ taskId }) => taskId);
  const node = await subject.join("node-1");
  subject.session("session-test");
  await lifecycle.create(aSpec("a", { maxRestarts: 1 }));
  await lifecycle.create(aSpec("b"));
  await settle();
  node.started("a", 1);
  // The constructor of b submits a task before it throws.
  for (const reporterId of ["session-test", "a.1", "b.1", "session-none"]) running(reporterId);
  expect(live()).toEqual(["session-test", "a.1", "b.1"]);
  node.died("b", 1, { constructorError: { code: "ACTOR_ERROR", message: "no such model" } });
  node.died("a", 1);
  expect(live()).toEqual(["session-test"]);
  sessions.goodbye("session-test");
  for (const reporterId of ["session-test", "a.1", "b.1"]) running(reporterId);
  expect(live()).toEqual([]);
});

test("tasks are listed by pages, those that run first", async () => {
  const subject = await TestPlane.open();
  const { history } = subject.plane;
  const rpcs = createTaskEventRpcs({
    rpc: { unary: (_: unknown, handle: unknown) => handle } as never,
    history,
  }) as unknown as Record<string, (request: object) => proto.ListTasksResponse & proto.ListEventsResponse>;
  const list = (request: proto.ListTasksRequest.$Properties) => rpcs["listTasks"]?.(request);
  for (let page = 0; page < 3; page++)
    history.tasks.report({ reporterId: "a", actorId: "actor-1", ended: finished(2) });
  subject.session("a");
  history.tasks.report({ reporterId: "a", live: [{ taskId: "live", state: TASK_STATE_RUNNING }] });
  const first = list({ limit: 3 });
  expect(first?.tasks.map(({ taskId }) => taskId)).toEqual(["live", "t1", "t0"]);
  const second = list({ limit: 3, pageToken: first?.nextPageToken ?? "" });
  expect(second?.tasks.map(({ sequence }) => sequence)).toEqual([4, 3, 2]);
  const third = list({ limit: 3, pageToken: second?.nextPageToken ?? "" });
  expect(third?.tasks.map(({ sequence }) => sequence)).toEqual([1]);
  expect(third?.nextPageToken).toBe("");
  expect(list({ name: "nothing" })?.tasks).toEqual([]);
  expect(list({ actorId: "actor-1" })?.tasks).toHaveLength(6);
  expect(() => list({ limit: 9_000 })).toThrow("limit is 9000: it must be from 1 to 5000");
});

test("what happens to nodes and actors is an event, the newest first", async () => {
  const subject = await TestPlane.open();
  const node = await subject.join("node-1");
  node.disconnect(true);
  const kinds = subject.plane.history.cluster
    .list(everything)
    .map(({ kind, subjectId }) => [kind, subjectId]);
  expect(kinds).toEqual([
    ["node dead", "node-1"],
    ["node joined", "node-1"],
  ]);
});

test("many nodes are allowed less each", () => {
  expect(TaskEvents.allowance(1)).toBe(20_000);
  expect(TaskEvents.allowance(100)).toBe(200);
  expect(TaskEvents.allowance(10_000)).toBe(20);
});
