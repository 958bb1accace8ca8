/** Pairs the evaluations of a question before and after training, the pair that shows most of what was learned first. */
import type { EpisodeRow } from "../api/runs.js";

export interface EpisodePair {
  /** Played by the policy of the run's first evaluation. */
  readonly before: EpisodeRow;
  /** Played by that of its last one. */
  readonly after: EpisodeRow;
}

/** A smaller reward counts as a failure. Rewards of exact match are 0 or 1. */
const enoughReward = 0.5;

export const isRight = ({ reward, failure }: Pick<EpisodeRow, "reward" | "failure">): boolean =>
  failure === undefined && reward !== undefined && reward >= enoughReward;

/** Columns beyond these do not fit beside each other. */
const fewChunks = 4;
const manyChunks = 8;

export function episodePairs(rows: readonly EpisodeRow[]): EpisodePair[] {
  const groups = new Map<string, EpisodeRow[]>();
  for (const row of rows) {
    if (row.origin !== "eval" || row.group === undefined || row.step === undefined) continue;
    groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  }
  const pairs = [...groups.values()].flatMap((members): EpisodePair[] => {
    const [before, ...others] = [...members].sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
    const after = others.at(-1);
    return before && after && before.step !== after.step ? [{ before, after }] : [];
  });
  return pairs.sort((a, b) => tellingOf(b) - tellingOf(a) || a.before.at - b.before.at);
}

/** A pair tells more if the question was learned, if the fact was held and lost at first, and if it fits on a page. */
function tellingOf({ before, after }: EpisodePair): number {
  const lost = before.lanes.some(({ end }) => end === "lost");
  const missed = before.lanes.some(({ end }) => end === "missed");
  const kept = after.lanes.length > 0 && after.lanes.every(({ end }) => end === "kept");
  const fits = after.chunks >= fewChunks && after.chunks <= manyChunks;
  return (
    (isRight(after) && !isRight(before) ? 8 : 0) +
    (kept ? 4 : 0) +
    (fits ? 3 : after.chunks < fewChunks ? 1 : 0) +
    (lost ? 2 : missed ? 1 : 0)
  );
}
