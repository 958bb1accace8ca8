/** Loads the metrics of runs. When lines of a run were loaded before, only later lines are requested. */
import { type Metrics, metricsSchema } from "../../../src/api/runs.js";
import { getJson } from "./fetch.js";
import { isStatic } from "./static.js";

/** Number of runs whose metrics are cached; the pages show no more of them together. */
const mostKept = 16;
const kept = new Map<string, Metrics>();

export async function loadMetrics(run: string, signal: AbortSignal): Promise<Metrics> {
  const path = `/runs/${encodeURIComponent(run)}/metrics`;
  const before = isStatic ? undefined : kept.get(run);
  const query = before ? `?from=${before.steps.length}&generation=${before.generation}` : "";
  const answer = await getJson(`${path}${query}`, metricsSchema, signal);
  const metrics = before && answer.from > 0 ? joined(before, answer) : answer;
  kept.delete(run);
  kept.set(run, metrics);
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
  return metrics;
}

/** Appends lines to those that were loaded before. */
function joined(before: Metrics, after: Metrics): Metrics {
  if (after.steps.length === 0) return before;
  const gap = before.steps.map(() => null);
  const series = Object.fromEntries(
    Object.entries(after.series).map(([name, values]) => [
      name,
      [...(before.series[name] ?? gap), ...values],
    ]),
  );
  return { ...after, from: 0, steps: [...before.steps, ...after.steps], series };
}
