/** Sums up the calls of one actor by method, as far as the head keeps their events. */
import type { TaskRow } from "../api/tasks.js";

export interface MethodStatistics {
  readonly name: string;
  readonly finished: number;
  readonly failed: number;
  readonly running: number;
  readonly waiting: number;
  /** Of those that have ended; undefined when none has. */
  readonly medianMs: number | undefined;
  readonly longestMs: number | undefined;
  readonly lastError: string;
  /** 0 without an error. */
  readonly lastErrorAtMs: number;
}

/** The busiest method comes first. */
export function callStatistics(rows: readonly TaskRow[]): MethodStatistics[] {
  const byName = new Map<string, TaskRow[]>();
  for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
  const methods = [...byName].map(([name, calls]) => statisticsOf(name, calls));
  const total = ({ finished, failed, running, waiting }: MethodStatistics) =>
    finished + failed + running + waiting;
  return methods.sort((a, b) => total(b) - total(a) || a.name.localeCompare(b.name));
}

function statisticsOf(name: string, calls: readonly TaskRow[]): MethodStatistics {
  const count = (...states: TaskRow["state"][]) => calls.filter(({ state }) => states.includes(state)).length;
  const took = calls
    .filter(({ startedAtMs, endedAtMs }) => startedAtMs > 0 && endedAtMs > 0)
    .map(({ startedAtMs, endedAtMs }) => Math.max(0, endedAtMs - startedAtMs))
    .sort((a, b) => a - b);
  const failed = calls.filter(({ error }) => error !== "").sort((a, b) => b.endedAtMs - a.endedAtMs)[0];
  return {
    name,
    finished: count("finished"),
    failed: count("failed", "cancelled"),
    running: count("running"),
    waiting: count("pending"),
    medianMs: took[Math.floor((took.length - 1) / 2)],
    longestMs: took.at(-1),
    lastError: failed?.error ?? "",
    lastErrorAtMs: failed?.endedAtMs ?? 0,
  };
}
