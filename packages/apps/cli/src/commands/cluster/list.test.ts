import type { JobInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import { actorFilter, chosenJobs, nodeFilter, refuseForeignFilters } from "./list.js";

const job = (jobId: string, status: JobInfo["status"], over: Partial<JobInfo> = {}): JobInfo => ({
  jobId,
  name: jobId,
  status,
  message: "",
  nodeId: "node-a",
  driverPid: 0,
  driverExitCode: 0,
  submittedAtMs: 0,
  startedAtMs: 0,
  endedAtMs: 0,
  stopRequested: false,
  resources: {},
  gpuIds: [],
  attempt: 1,
  maxAttempts: 1,
  retriedAs: "",
  metadata: {},
  workingDir: "",
  outputBytes: 0,
  ...over,
});

test("the flags of a list are the filter that the head is asked with", () => {
  expect(actorFilter({})).toEqual({ includeDead: true, states: [] });
  expect(
    actorFilter({ state: "alive, dead", node: "node-a", class: "Judge", role: "reward", limit: 3 }),
  ).toEqual({
    includeDead: true,
    states: ["alive", "dead"],
    nodeId: "node-a",
    className: "Judge",
    role: "reward",
    limit: 3,
  });
  expect(nodeFilter({ state: "suspect", limit: 2 })).toEqual({ states: ["suspect"], limit: 2 });
});

test("a state that there is not, or a flag of another kind, is refused by name", () => {
  expect(() => nodeFilter({ state: "alive,pending" })).toThrow(
    '--state: "pending" is not one of alive, suspect, dead',
  );
  expect(() => refuseForeignFilters("nodes", { class: "Judge" })).toThrow(
    "--class applies to actors, not to nodes",
  );
  expect(() => refuseForeignFilters("queues", { limit: 1 })).toThrow(
    "--limit applies to nodes, actors, jobs",
  );
});

test("jobs are chosen by state and node, and the last ones stay", () => {
  const jobs = [
    job("a", "succeeded"),
    job("b", "running", { stopRequested: true }),
    job("c", "running"),
    job("d", "running", { nodeId: "node-b" }),
  ];
  const ids = (options: Parameters<typeof chosenJobs>[1]) =>
    chosenJobs(jobs, options).map(({ jobId }) => jobId);
  expect(ids({})).toEqual(["a", "b", "c", "d"]);
  expect(ids({ state: "running" })).toEqual(["c", "d"]);
  expect(ids({ state: "stopping,succeeded" })).toEqual(["a", "b"]);
  expect(ids({ state: "running", node: "node-b" })).toEqual(["d"]);
  expect(ids({ limit: 2 })).toEqual(["c", "d"]);
});
