import { expect, it } from "vitest";
import type { TaskRow } from "../api/tasks.js";
import { callTimeline } from "./call-lanes.js";

const call = (actorId: string, queuedAtMs: number, startedAtMs: number, endedAtMs: number): TaskRow => ({
  id: `${actorId}-${startedAtMs}`,
  kind: "call",
  name: "work",
  role: actorId.split("-")[0] ?? "",
  pid: 7,
  state: endedAtMs > 0 ? "finished" : "running",
  actorId,
  nodeId: "n",
  jobId: "j",
  error: "",
  queuedAtMs,
  startedAtMs,
  endedAtMs,
});

it("a process that is busy alone is the bottleneck, and calls that wait for it are told", () => {
  const slow = Array.from({ length: 10 }, (_, at) =>
    call("learner-1", 1_000, 1_000 + at * 100, 1_100 + at * 100),
  );
  const quick = [call("rollout-1", 1_000, 1_000, 1_100)];
  const { bottleneck, advice, lanes, methods, fromMs, toMs } = callTimeline([...quick, ...slow], 9_000);
  expect(bottleneck).toBe(
    "learner 7 is the bottleneck: it has calls in progress for 100 % of the time, no other process for more than 10 %.",
  );
  expect(advice).toContain("maxConcurrency");
  expect([fromMs, toMs]).toEqual([1_000, 2_000]);
  expect(lanes[0]).toMatchObject({ process: "learner-1", busyMs: 1_000, waitedMs: 4_500 });
  expect(methods[0]).toMatchObject({ name: "learner.work", calls: 10, ranMs: 1_000 });
});

it("calls beside each other are busy once; one that runs still ends now; nothing has no bottleneck", () => {
  const { lanes } = callTimeline(
    [call("a-1", 0, 1_000, 2_000), call("a-1", 0, 1_500, 1_800), call("a-1", 0, 3_000, 0)],
    4_000,
  );
  expect(lanes[0]?.busyMs).toBe(2_000);
  expect(callTimeline([], 1)).toMatchObject({ lanes: [], bottleneck: "" });
});

it("several that are busy share the blame", () => {
  const { bottleneck } = callTimeline([call("a-1", 0, 1_000, 2_000), call("b-1", 0, 1_000, 2_000)], 2_000);
  expect(bottleneck).toContain("2 processes");
});
