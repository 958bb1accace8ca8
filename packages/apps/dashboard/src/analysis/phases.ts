/** What learners and samplers did in the seconds of a profile, by the difference of two readings of their metrics. */
import type { ProcessPhases } from "../api/profiles.js";

/** The series that count the seconds of phases. */
const phaseSeries = /^palimpsest_(?:learner|sampler)_phase_seconds_total\{([^}]*)\} (\S+)/gm;

/** What a process has done since it started, by phase. */
export interface PhaseReading {
  readonly atMs: number;
  readonly seconds: ReadonlyMap<string, number>;
}

/** Returns the seconds by phase of a metrics page in Prometheus's format; undefined if the process has no phases. */
export function phasesOn(page: string, atMs: number): PhaseReading | undefined {
  const seconds = new Map<string, number>();
  for (const [, labels = "", value = ""] of page.matchAll(phaseSeries)) {
    const phase = /(?:^|,)phase="([^"]*)"/.exec(labels)?.[1];
    if (phase !== undefined) seconds.set(phase, (seconds.get(phase) ?? 0) + Number(value));
  }
  return seconds.size === 0 ? undefined : { atMs, seconds };
}

/** @returns what was done between two readings of one process; the rest of the time is `idle` */
export function phasesBetween(
  process: Pick<ProcessPhases, "role" | "actorId">,
  before: PhaseReading,
  after: PhaseReading,
): ProcessPhases {
  const seconds = Math.max(0, (after.atMs - before.atMs) / 1000);
  const phases = [...after.seconds].map(([name, until]) => ({
    name: name === "other" ? "idle" : name,
    seconds: Math.max(0, until - (before.seconds.get(name) ?? 0)),
  }));
  const known = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const idle = phases.find(({ name }) => name === "idle");
  if (idle === undefined) phases.push({ name: "idle", seconds: Math.max(0, seconds - known) });
  return { ...process, seconds, phases };
}
