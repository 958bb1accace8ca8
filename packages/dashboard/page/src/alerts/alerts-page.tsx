/** Shows what needs a person's attention. */
import { type Alert, clusterAlerts, runAlerts } from "../../../src/analysis/alerts.js";
import { nodesPageSchema, summarySchema } from "../../../src/api/cluster.js";
import { jobsSchema } from "../../../src/api/jobs.js";
import { runsSchema } from "../../../src/api/runs.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { linkTo } from "../data/route.js";
import { loadMetrics } from "../data/run-metrics.js";
import { session } from "../data/session.js";
import { Loading, Problem } from "../parts/state.js";

/** Only the newest runs are checked, because older ones no longer change. */
const mostRuns = 5;

async function load(signal: AbortSignal): Promise<Alert[]> {
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

export function AlertsPage() {
  const { now } = usePoll(load, 3_000);
  const { value, error } = now.value;
  return (
    <>
      <h1>Alerts</h1>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : value.length === 0 ? (
        <p class="good" data-alerts="0">
          Nothing needs attention.
        </p>
      ) : (
        <ul class="alerts" data-alerts={value.length}>
          {value.map((alert) => (
            <li key={`${alert.title} ${alert.text}`} class={`card ${alert.severity}`}>
              <b class={alert.severity === "error" ? "bad" : "warn"}>{alert.title}</b>{" "}
              <span>{alert.text}</span> <a href={linkTo(alert.place)}>open</a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
