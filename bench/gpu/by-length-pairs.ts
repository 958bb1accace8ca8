/**
 * Compares what by-length.ts wrote for policies that answered the same questions: the F1 of each in every length, and differences with
 * 95 % intervals of the paired bootstrap over questions. The seeds together count a question once, by its mean over them.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/by-length-pairs.ts --untrained FILE --seed FILE... [--control FILE] [--json FILE]
 */
import { readFileSync } from "node:fs";
import { meanInterval } from "../../packages/learning/evals/src/resampling.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({ untrained: "", seed: [], control: undefined, json: undefined });

interface Question {
  readonly item: string;
  readonly f1: number;
}

interface Cell {
  readonly documents: number;
  readonly documentTokens: number;
  readonly metrics: Readonly<Record<string, { readonly value: number }>>;
  readonly truncatedShare: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  readonly seconds: number;
  readonly questions: readonly Question[];
}

type Policy = readonly [name: string, cells: readonly Cell[]];

const read = (name: string, file: string): Policy => [name, JSON.parse(readFileSync(file, "utf8")) as Cell[]];
const round = (value: number): number => Number(value.toFixed(3));

/** Means with their interval, of values that belong to different questions. */
function meanOf(values: readonly number[]) {
  const { low, high } = meanInterval(values.map((value, i) => ({ value, cluster: String(i) })));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { f1: round(mean), interval: [round(low), round(high)] };
}

const untrained = read("untrained", flags.untrained);
const seeds = flags.seed.map((file, i) => read(`seed ${i + 1}`, file));
const control = flags.control === undefined ? [] : [read("control", flags.control)];

const cells = [untrained, ...seeds, ...control].flatMap(([policy, all]) =>
  all.map((cell) => ({
    policy,
    documentTokens: cell.documentTokens,
    questions: cell.questions.length,
    ...meanOf(cell.questions.map(({ f1 }) => f1)),
    exactMatch: round(cell.metrics["exactMatch"]?.value ?? Number.NaN),
    truncatedShare: round(cell.truncatedShare),
    // The last conversation of a question is its answer.
    sampledTokensPerConversation: round(cell.sampledTokens / cell.conversations),
    seconds: cell.seconds,
  })),
);

/** The F1 of each question that all of these policies were asked in this length; undefined if one was not. */
function scores(policies: readonly Policy[], documents: number): Map<string, number> | undefined {
  const found = policies.map(([, all]) => all.find((cell) => cell.documents === documents));
  const sums = new Map<string, number>();
  for (const cell of found) {
    if (cell === undefined) return undefined;
    for (const { item, f1 } of cell.questions) sums.set(item, (sums.get(item) ?? 0) + f1 / found.length);
  }
  return sums;
}

const couples: readonly (readonly [string, readonly Policy[], readonly Policy[]])[] = [
  ...seeds.map((seed) => [`${seed[0]} - untrained`, [seed], [untrained]] as const),
  ["seeds - untrained", seeds, [untrained]],
  ...control.flatMap((one) => [
    ["control - untrained", [one], [untrained]] as const,
    ["seeds - control", seeds, [one]] as const,
  ]),
];
const differences = untrained[1].flatMap(({ documents, documentTokens }) =>
  couples.flatMap(([difference, after, before]) => {
    const [first, second] = [scores(before, documents), scores(after, documents)];
    if (first === undefined || second === undefined) return [];
    const values = [...second].map(([item, f1]) => {
      const other = first.get(item);
      if (other === undefined) throw new Error(`question ${item} was not asked of both, in ${difference}`);
      return f1 - other;
    });
    return [{ documentTokens, difference, questions: values.length, ...meanOf(values) }];
  }),
);
console.table(cells);
console.table(differences);
if (flags.json !== undefined) writeResult(flags.json, { cells, differences });
