/** What needs attention, for the page of alerts, for its tab and for the title of every page. */
import { computed, signal } from "@preact/signals";
import {
  type Alert,
  alertKey,
  clusterAlerts,
  runAlerts,
  stillAcknowledged,
} from "../../../src/analysis/alerts.js";
import { nodesPageSchema, summarySchema } from "../../../src/api/cluster.js";
import { jobsSchema } from "../../../src/api/jobs.js";
import { runsSchema } from "../../../src/api/runs.js";
import { getJson } from "../data/fetch.js";
import { loadMetrics } from "../data/run-metrics.js";
import { session } from "../data/session.js";
import { keepValue, keptValue } from "../shell/kept-values.js";

/** Only the newest runs are checked, because older ones no longer change. */
const mostRuns = 5;
const storageKey = "palimpsest-acknowledged";
/** Alerts that this browser remembers as seen, the newest ones. */
const mostAcknowledged = 500;

const alerts = signal<readonly Alert[]>([]);
const acknowledged = signal<readonly string[]>((keptValue(storageKey) ?? "").split("\n").filter(Boolean));

export const isAcknowledged = (alert: Alert): boolean => acknowledged.value.includes(alertKey(alert));

/** The alerts that nobody has acknowledged in this browser. */
export const openAlerts = computed(() => alerts.value.filter((alert) => !isAcknowledged(alert)));

export function acknowledge(alert: Alert, seen: boolean): void {
  const key = alertKey(alert);
  const others = acknowledged.value.filter((one) => one !== key);
  remember(seen ? [...others, key] : others);
}

export async function loadAlerts(signal: AbortSignal): Promise<readonly Alert[]> {
  alerts.value = await ask(signal);
  const kept = stillAcknowledged(acknowledged.value, alerts.value);
  if (kept.length < acknowledged.value.length) remember(kept);
  return alerts.value;
}

function remember(keys: readonly string[]): void {
  acknowledged.value = keys.slice(-mostAcknowledged);
  keepValue(storageKey, acknowledged.value.join("\n"));
}

async function ask(signal: AbortSignal): Promise<Alert[]> {
  const cluster = typeof session.value === "object" && session.value.source === "cluster";
  const { rows } = await getJson("/runs", runsSchema, signal);
  const runs = rows.filter(({ lastStep }) => lastStep > 0).slice(0, mostRuns);
  const ofRuns = await Promise.all(runs.map(async ({ id }) => runAlerts(id, await loadMetrics(id, signal))));
  if (!cluster) return ofRuns.flat();
  const [summary, nodes, jobs] = await Promise.all([
    getJson("/summary", summarySchema, signal),
    getJson("/nodes?limit=5000", nodesPageSchema, signal),
    getJson("/jobs", jobsSchema, signal),
  ]);
  return [...clusterAlerts(summary, nodes.rows, jobs.rows), ...ofRuns.flat()];
}
