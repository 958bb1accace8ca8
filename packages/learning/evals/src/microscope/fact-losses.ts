/** Splits the loss of facts into what was read and never written, and what was written and lost later. */
import type { LaneEnd } from "./fact-lanes.js";

/** A fact as its losses are counted; a `LaneSummary` is one. */
export interface CountedFact {
  readonly end: LaneEnd;
  readonly lostAt?: number | undefined;
  readonly writtenAt?: number | undefined;
  readonly steps: number;
}

/** The facts whose episodes go on for some steps after they were written. */
export interface RetentionPoint {
  /** Steps since the memory has had the fact, ≥ 1. */
  readonly distance: number;
  readonly facts: number;
  /** Those that were not lost for good by then. */
  readonly kept: number;
}

/** What became of the facts that were read. */
export interface FactLosses {
  readonly read: number;
  /** Those that some memory contains; `captured / read` is the capture. */
  readonly captured: number;
  /** Those that the last memory contains; `kept / captured` is the retention to the end. */
  readonly kept: number;
  /** Retention at distances of 1, 2, 4, … steps, as far as any episode goes. */
  readonly retention: readonly RetentionPoint[];
}

/** Counts capture and retention. Facts that no step read, or of which that is unknown, are left out. */
export function factLosses(lanes: Iterable<CountedFact>): FactLosses {
  const facts = [...lanes].filter(({ end }) => end === "kept" || end === "lost" || end === "missed");
  const spans = facts.flatMap(({ end, writtenAt, lostAt, steps }) => {
    if (writtenAt === undefined) return [];
    const after = steps - 1 - writtenAt;
    return [{ after, held: end === "lost" && lostAt !== undefined ? lostAt - 1 - writtenAt : after }];
  });
  const farthest = spans.reduce((most, { after }) => Math.max(most, after), 0);
  const retention: RetentionPoint[] = [];
  for (let distance = 1; distance <= farthest; distance *= 2) {
    const reached = spans.filter(({ after }) => after >= distance);
    const kept = reached.filter(({ held }) => held >= distance).length;
    retention.push({ distance, facts: reached.length, kept });
  }
  const kept = facts.filter(({ end }) => end === "kept").length;
  return { read: facts.length, captured: spans.length, kept, retention };
}

/** Describes capture and retention in one sentence, such as "of 20 facts that were read, 90 % were written, and 50 % of those kept to the end (after 1 step 80 %, 2 50 %)". */
export function factLossesText({ read, captured, kept, retention }: FactLosses): string {
  const percent = (part: number, whole: number) =>
    whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`;
  const curve = retention.map(
    ({ distance, facts, kept: held }, at) =>
      `${at === 0 ? "after 1 step" : distance} ${percent(held, facts)}`,
  );
  const shown = curve.length === 0 ? "" : ` (${curve.join(", ")})`;
  return `of ${read} facts that were read, ${percent(captured, read)} were written, and ${percent(kept, captured)} of those kept to the end${shown}`;
}
