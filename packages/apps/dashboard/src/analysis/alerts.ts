/** Finds what needs attention in the cluster and in runs, the most severe first. */
import type { NodeRow, Summary } from "../api/cluster.js";
import type { JobRow } from "../api/jobs.js";
import type { Metrics } from "../api/runs.js";

export interface Alert {
  readonly severity: "error" | "warning";
  readonly title: string;
  readonly text: string;
  /** Parts of the location of the page that shows the cause. */
  readonly place: readonly string[];
  /** When it began, in milliseconds since the epoch; 0 when nobody recorded it. */
  readonly sinceMs: number;
}

/** What distinguishes an alert from others and from a later one of the same kind, for those who have seen it. */
export const alertKey = ({ title, sinceMs }: Alert): string => `${title} ${sinceMs}`;

/** Without a time, an alert that comes again has the key of the one before: what was seen counts until it has gone. */
export function stillAcknowledged(keys: readonly string[], present: readonly Alert[]): readonly string[] {
  const shown = new Set(present.map(alertKey));
  return keys.filter((key) => !key.endsWith(" 0") || shown.has(key));
}

/** Milliseconds of waiting after which an alert is raised. */
const waitingMs = 60_000;
/** Milliseconds for which a failed job is reported. */
const recentMs = 24 * 3_600_000;
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Number of the most recent steps that are examined. */
const window = 20;

export function clusterAlerts(summary: Summary, nodes: readonly NodeRow[], jobs: readonly JobRow[]): Alert[] {
  const alerts: Alert[] = [];
  const tell = (
    severity: Alert["severity"],
    title: string,
    text: string,
    place: readonly string[],
    sinceMs = 0,
  ) => alerts.push({ severity, title, text, place, sinceMs });
  for (const node of nodes) {
    const silentS = Math.round((summary.atMs - node.lastHeartbeatMs) / 1000);
    if (node.state === "suspect")
      tell(
        "warning",
        `node ${node.hostname} is silent`,
        `${node.nodeId} has sent no heartbeat for ${silentS} s`,
        ["cluster"],
        node.lastHeartbeatMs,
      );
    if (node.state === "dead" && silentS < recentMs / 1000)
      tell(
        "error",
        `node ${node.hostname} is dead`,
        `the last heartbeat of ${node.nodeId} was ${silentS} s ago`,
        ["events"],
        node.lastHeartbeatMs,
      );
  }
  if (nodes.every(({ state }) => state !== "alive"))
    tell("error", "no node is alive", "nothing can run", ["cluster"]);
  for (const { feasible, count, reason, oldestSinceMs } of summary.waiting) {
    const waits = summary.atMs - oldestSinceMs;
    if (!feasible)
      tell("error", `${counted(count, "request")} can never be placed`, reason, ["cluster"], oldestSinceMs);
    else if (waits > waitingMs)
      tell("warning", `${counted(count, "request")} waiting for a node`, reason, ["cluster"], oldestSinceMs);
  }
  for (const { name, usedBytes, maxBytes, waitingNodes } of summary.objectQuotas)
    if (waitingNodes > 0)
      tell(
        "warning",
        `objects wait for the quota of ${name}`,
        `${usedBytes} of ${maxBytes} bytes are used; objects wait on ${counted(waitingNodes, "node")}`,
        ["cluster"],
      );
  if (summary.autoscaler?.error)
    tell("error", "the autoscaler cannot start nodes", summary.autoscaler.error, ["cluster"]);
  for (const queue of summary.queues)
    if (queue.failed > 0)
      tell(
        "warning",
        `${counted(queue.failed, "job")} failed in queue ${queue.name}`,
        "the run's episodes say why",
        ["runs"],
      );
  for (const job of jobs)
    if (job.status === "failed" && summary.atMs - job.endedAtMs < recentMs)
      tell("error", `job ${job.name || job.jobId} failed`, job.message, ["jobs", job.jobId], job.endedAtMs);
  return ranked(alerts);
}

export function runAlerts(run: string, { steps, series }: Pick<Metrics, "steps" | "series">): Alert[] {
  const alerts: Alert[] = [];
  const lastOf = (name: string) =>
    (series[name] ?? []).slice(-window).filter((value): value is number => value !== null);
  const tell = (severity: Alert["severity"], title: string, text: string) =>
    alerts.push({ severity, title: `${run}: ${title}`, text, place: ["training"], sinceMs: 0 });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const name of ["update.loss", "rewardMean", "update.gradientNorm"]) {
    // JSON has no NaN, so a metric that is not a number is null.
    const values = series[name];
    if (values !== undefined && values.length > 0 && values.at(-1) === null)
      tell("error", `${name} is not a number`, `since step ${steps.at(-1)}: the update has diverged`);
  }
  const entropy = lastOf("update.entropy");
  const early = (series["update.entropy"] ?? [])
    .slice(0, window)
    .filter((value): value is number => value !== null);
  if (entropy.length >= 5 && early.length >= 5 && mean(early) > 0 && mean(entropy) < 0.1 * mean(early))
    tell(
      "warning",
      "entropy has collapsed",
      `it is ${mean(entropy).toFixed(3)}, less than a tenth of its first values: the policy no longer explores`,
    );
  const norms = lastOf("update.gradientNorm");
  const before = norms.slice(0, -1).sort((a, b) => a - b);
  const median = before[Math.floor(before.length / 2)] ?? 0;
  const norm = norms.at(-1) ?? 0;
  if (before.length >= 5 && median > 0 && norm > 10 * median)
    tell(
      "warning",
      "the gradient has jumped",
      `its norm is ${norm.toPrecision(3)}, ten times the median of the steps before`,
    );
  const idle = lastOf("update.zeroVarianceFraction");
  const exact = lastOf("components.exactMatch");
  // When nearly every answer is right, as at the end of a run that has learned its task, nothing is left to learn.
  const isSolved = exact.length > 0 && mean(exact) >= 0.9;
  if (idle.length >= 5 && mean(idle) > 0.8 && !isSolved)
    tell(
      "warning",
      "most groups teach nothing",
      `${Math.round(100 * mean(idle))} % of them have equal rewards in all their episodes: their questions are too easy or too hard`,
    );
  const dispatched = lastOf("groupsDispatched").at(-1) ?? 0;
  const failed = lastOf("groupsFailed").at(-1) ?? 0;
  if (dispatched > 0 && failed > 0.1 * dispatched)
    tell("warning", "groups fail", `${failed} of ${dispatched} groups failed`);
  return ranked(alerts);
}

const ranked = (alerts: readonly Alert[]) =>
  [...alerts].sort((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
