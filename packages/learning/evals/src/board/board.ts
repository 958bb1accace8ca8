import { type Interval, wilsonInterval } from "../intervals.js";
import { holm, type RunScores, twoLevelDifference } from "../resampling.js";
import type { CellSummary, SuiteSummary } from "../suite/summary.js";
import { closedMargin, leastQuestions } from "../worlds/certificate.js";
import type { ScriptKind } from "../worlds/world-scripts.js";
import type { Leak } from "./leaks.js";

/**
 * What is known to a reader while it reads. Rows of the two divisions are never ranked together: who knows the question
 * has to keep less.
 */
export const divisions = ["question known", "question unknown"] as const;
type Division = (typeof divisions)[number];

/** A row of a board: one method with one training recipe, trained once or several times; or a script. */
export interface BoardRow {
  readonly name: string;
  readonly kind: "entry" | "control" | ScriptKind;
  readonly division: Division;
  /** Names of its systems in the suite, one for each training seed. */
  readonly systems: readonly string[];
}

/** The score and the cost of a row in one group of questions. */
export interface BoardCell {
  readonly row: string;
  readonly kind: BoardRow["kind"];
  readonly division: Division;
  readonly group: string;
  readonly questions: number;
  readonly trainingSeeds: number;
  readonly score: number;
  /** 95 %, over training seeds and questions. */
  readonly interval: Interval;
  /** Means per question that did not fail. */
  readonly cost: {
    readonly calls: number;
    readonly readTokens: number;
    readonly sampledTokens: number;
    /** Tokens of prompt and reply of a call. */
    readonly contextTokens: number;
    readonly seconds: number;
  };
}

/** One entry against another in one group. */
export interface BoardPair {
  readonly division: Division;
  readonly group: string;
  readonly first: string;
  readonly second: string;
  /** Score of the second minus that of the first. */
  readonly difference: number;
  readonly interval: Interval;
  /**
   * Two-sided, after Holm's correction over the pairs of the division and group; null where a side has two training
   * seeds, of which nothing can be said of a third. A side of one seed is a statement about that one policy.
   */
  readonly adjustedP: number | null;
}

/** A board: scores with their costs, or, for groups whose controls failed, why there are none. */
export interface Board {
  readonly cells: readonly BoardCell[];
  readonly pairs: readonly BoardPair[];
  /** Groups without scores, with the reasons. */
  readonly emptied: Readonly<Record<string, readonly string[]>>;
  /** Questions that a row did not answer, which count as wrong, and why the first of them failed. */
  readonly failed: readonly {
    readonly row: string;
    readonly group: string;
    readonly questions: number;
    readonly first: string;
  }[];
}

/**
 * Makes a board of a suite's summary. A group is emptied where a control shows that its scores mean nothing: fewer than
 * 500 questions, an oracle that is not always right, an answer that is given away, or a control or a cheat whose score
 * is above the best guess by more than 10 points (with the lower end of its interval).
 * @param rows their systems are those of the summary
 */
export function boardOf(
  summary: SuiteSummary,
  rows: readonly BoardRow[],
  leaks: readonly Leak[] = [],
): Board {
  const metric = summary.metrics[0]?.name ?? "";
  const groups = summary.groups.map(String);
  const scoresOf = (row: BoardRow, group: string): RunScores =>
    row.systems.map((name) =>
      (summary.systems.find(({ system }) => system === name)?.outcomes ?? [])
        .filter((outcome) => String(outcome.group) === group)
        .map(({ scores }) => scores[metric] ?? 0),
    );
  const cells: BoardCell[] = [];
  const pairs: BoardPair[] = [];
  const emptied: Record<string, string[]> = {};
  for (const group of groups) {
    const scored = rows.map((row) => ({ row, scores: scoresOf(row, group) }));
    const own = scored.map(({ row, scores }) => cellOf(row, group, scores, summary));
    const reasons = reasonsAgainst(own, summary, group, leaks);
    if (reasons.length > 0) {
      emptied[group] = reasons;
      continue;
    }
    cells.push(...own);
    for (const division of divisions) {
      const entries = scored.filter(({ row }) => row.kind === "entry" && row.division === division);
      pairs.push(...pairsIn(division, group, entries));
    }
  }
  return { cells, pairs, emptied, failed: failuresOf(summary, rows, groups) };
}

function failuresOf(
  summary: SuiteSummary,
  rows: readonly BoardRow[],
  groups: readonly string[],
): Board["failed"] {
  return rows.flatMap(({ name: row, systems }) =>
    groups.flatMap((group) => {
      const reasons = summary.systems
        .filter(({ system }) => systems.includes(system))
        .flatMap(({ outcomes }) => outcomes.filter((outcome) => String(outcome.group) === group))
        .flatMap(({ failure }) => failure ?? []);
      const [first] = reasons;
      return first === undefined ? [] : [{ row, group, questions: reasons.length, first }];
    }),
  );
}

function cellOf(row: BoardRow, group: string, scores: RunScores, summary: SuiteSummary): BoardCell {
  const { score, interval, questions } = scoreOf(scores);
  const costs = row.systems.flatMap(
    (name) =>
      summary.systems
        .find(({ system }) => system === name)
        ?.cells.filter((cell) => String(cell.group) === group) ?? [],
  );
  const mean = (of: (cell: CellSummary) => number) =>
    costs.reduce((sum, cell) => sum + of(cell), 0) / Math.max(1, costs.length);
  const calls = mean(({ conversations }) => conversations);
  const [readTokens, sampledTokens] = [mean((cell) => cell.promptTokens), mean((cell) => cell.sampledTokens)];
  return {
    row: row.name,
    kind: row.kind,
    division: row.division,
    group,
    questions,
    trainingSeeds: row.systems.length,
    score,
    interval,
    cost: {
      calls,
      readTokens,
      sampledTokens,
      contextTokens: calls === 0 ? 0 : (readTokens + sampledTokens) / calls,
      seconds: mean(({ busySeconds }) => busySeconds),
    },
  };
}

function scoreOf(scores: RunScores): { score: number; interval: Interval; questions: number } {
  const questions = scores[0]?.length ?? 0;
  const right = scores.flat().reduce((sum, one) => sum + one, 0) / Math.max(1, scores.length);
  const score = right / Math.max(1, questions);
  // Questions of one training run, and those of several that are all right or all wrong, have Wilson's interval.
  const wilson = { score, interval: wilsonInterval(right, questions), questions };
  if (scores.length === 1) return wilson;
  const { interval } = twoLevelDifference(scores);
  return interval.low === interval.high ? wilson : { score, interval, questions };
}

const points = (share: number) => (100 * share).toFixed(1);

function reasonsAgainst(
  cells: readonly BoardCell[],
  summary: SuiteSummary,
  group: string,
  leaks: readonly Leak[],
): string[] {
  const reasons: string[] = [];
  const few = cells.find(({ questions }) => questions < leastQuestions);
  if (few) reasons.push(`${few.questions} questions are fewer than ${leastQuestions}`);
  const guess = cells.find(({ row, kind }) => kind === "floor" && row === "best guess");
  if (guess === undefined) reasons.push("the row of the best guess is missing, which scores are measured by");
  const oracle = cells.find(({ kind }) => kind === "oracle");
  if (oracle === undefined) reasons.push("the oracle's row is missing");
  else if (oracle.score < 1)
    reasons.push(`the oracle is right in ${points(oracle.score)} % instead of always`);
  const items = new Set(
    summary.systems[0]?.outcomes.flatMap((outcome) =>
      String(outcome.group) === group ? [outcome.item] : [],
    ),
  );
  const told = leaks.filter(({ item }) => items.has(item));
  if (told[0])
    reasons.push(`${told.length} answers are given away, the first in ${told[0].field} of ${told[0].item}`);
  for (const { row, kind, score, interval } of cells) {
    if (kind !== "cheat" && kind !== "control") continue;
    if (interval.low <= (guess?.score ?? 0) + closedMargin) continue;
    const what = kind === "cheat" ? "the cheat" : "the control without the text,";
    reasons.push(
      `${what} ${row} scores ${points(score)} %, and the best guess ${points(guess?.score ?? 0)} %`,
    );
  }
  return reasons;
}

function pairsIn(
  division: Division,
  group: string,
  entries: readonly { readonly row: BoardRow; readonly scores: RunScores }[],
): BoardPair[] {
  const couples = entries.flatMap((first, at) => entries.slice(at + 1).map((second) => ({ first, second })));
  // Holm's factor must leave room for a p below 0.05.
  const draws = Math.max(2000, 60 * couples.length);
  const found = couples.map(({ first, second }) => {
    const { difference, interval, p } = twoLevelDifference(second.scores, first.scores, draws);
    const known = first.scores.length !== 2 && second.scores.length !== 2;
    return {
      division,
      group,
      first: first.row.name,
      second: second.row.name,
      difference,
      interval,
      p,
      known,
    };
  });
  const adjusted = holm(found.map(({ p }) => p));
  return found.map(({ p: _, known, ...pair }, at) => ({
    ...pair,
    adjustedP: known ? (adjusted[at] ?? 1) : null,
  }));
}
