import { expect, it } from "vitest";
import type { NodeRow, Summary } from "../api/cluster.js";
import type { JobRow } from "../api/jobs.js";
import { alertKey, clusterAlerts, runAlerts, stillAcknowledged } from "./alerts.js";

const atMs = 1_000_000_000;
const summary: Summary = {
  atMs,
  actors: {},
  nodes: {},
  total: {},
  used: {},
  waiting: [],
  waitingCount: 0,
  objectQuotas: [],
  queues: [],
};
const node: NodeRow = {
  nodeId: "node-1",
  hostname: "one",
  pid: 1,
  state: "alive",
  total: {},
  available: {},
  labels: {},
  joinedAtMs: 1,
  lastHeartbeatMs: atMs,
};
const job: JobRow = {
  jobId: "job-1",
  name: "a.yaml",
  status: "succeeded",
  stopRequested: false,
  message: "",
  nodeId: "",
  driverPid: 0,
  submittedAtMs: 1,
  startedAtMs: 1,
  endedAtMs: atMs - 1,
  metadata: {},
  resources: {},
  outputBytes: 0,
};
const titles = (alerts: readonly { readonly title: string }[]) => alerts.map(({ title }) => title);

it("tells of nodes, of what waits, of queues and of jobs, the gravest first; of nothing where all is well", () => {
  expect(clusterAlerts(summary, [node], [job])).toEqual([]);
  const waiting = {
    resources: {},
    count: 3,
    oldestSinceMs: atMs - 90_000,
    feasible: true,
    reason: "no room",
  };
  const queue = { name: "r", waiting: 0, active: 0, waitingChildren: 0, delayed: 0, failed: 2 };
  const told = clusterAlerts(
    { ...summary, waiting: [waiting, { ...waiting, feasible: false }], queues: [queue] },
    [
      node,
      { ...node, state: "suspect", hostname: "two", lastHeartbeatMs: atMs - 4_000 },
      { ...node, state: "dead", hostname: "three" },
    ],
    [{ ...job, status: "failed", message: "exit code 3" }],
  );
  expect(titles(told)).toEqual([
    "node three is dead",
    "3 requests can never be placed",
    "job a.yaml failed",
    "node two is silent",
    "3 requests waiting for a node",
    "2 jobs failed in queue r",
  ]);
  expect(told.map(({ sinceMs }) => atMs - sinceMs)).toEqual([0, 90_000, 1, 4_000, 90_000, atMs]);
  // A later failure of the same job is another alert for those who have acknowledged this one.
  expect(new Set(told.map(alertKey)).size).toBe(told.length);
  expect(titles(clusterAlerts(summary, [], []))).toEqual(["no node is alive"]);
});

it("shows an alert without a time again when it comes again, also to those who have seen the one before", () => {
  const none = clusterAlerts(summary, [], []);
  const seen = none.map(alertKey);
  expect(stillAcknowledged(seen, none)).toEqual(seen);
  expect(stillAcknowledged(seen, [])).toEqual([]);
  // The time of one that has a time tells the next one from it.
  expect(stillAcknowledged([...seen, "job a failed 123"], [])).toEqual(["job a failed 123"]);
});

const steps = Array.from({ length: 40 }, (_, at) => at + 1);
const run = (series: Record<string, (number | null)[]>) => titles(runAlerts("r", { steps, series }));
const flat = (value: number) => steps.map(() => value);

it("tells of runs that diverge, collapse, jump or teach nothing; of none that is well", () => {
  const well = {
    "update.loss": flat(1),
    rewardMean: flat(0.5),
    "update.entropy": flat(1),
    "update.gradientNorm": flat(1),
  };
  expect(run({ ...well, groupsDispatched: flat(100), groupsFailed: flat(1) })).toEqual([]);
  expect(run({ "update.loss": [...flat(1).slice(1), null] })).toEqual(["r: update.loss is not a number"]);
  expect(run({ "update.entropy": steps.map((step) => (step < 20 ? 2 : 0.01)) })).toEqual([
    "r: entropy has collapsed",
  ]);
  expect(run({ "update.gradientNorm": [...flat(1).slice(1), 50] })).toEqual(["r: the gradient has jumped"]);
  expect(run({ "update.zeroVarianceFraction": flat(0.9) })).toEqual(["r: most groups teach nothing"]);
  expect(run({ "update.zeroVarianceFraction": flat(0.9), "components.exactMatch": flat(0.97) })).toEqual([]);
  expect(run({ groupsDispatched: flat(100), groupsFailed: flat(30) })).toEqual(["r: groups fail"]);
});
