/**
 * Compares what by-length.ts wrote for policies that answered the same questions: the F1 of each system in every length, differences
 * with 95 % intervals of the paired bootstrap over questions and p of sign flips, by Holm over all of them, and what the longest
 * context leaves of the F1 in the shortest. The seeds together count a question once, by its mean over them.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/by-length-pairs.ts --untrained FILE --seed FILE... [--control FILE] [--json FILE]
 */
import { readFileSync } from "node:fs";
import { holm, meanInterval, signFlipP } from "../../packages/learning/evals/src/resampling.js";
import { createRandom } from "../../packages/runtime/std/src/random/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({ untrained: "", seed: [], control: undefined, json: undefined });

interface Question {
  readonly question: string;
  readonly f1: number;
}

interface Cell {
  readonly system: string;
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

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Cell[];
const policy = (name: string, cells: readonly Cell[], system: string): Policy => [
  name,
  cells.filter((cell) => cell.system === system),
];
const round = (value: number): number => Number(value.toFixed(3));

/** Means with their interval, of values that belong to different questions. */
function meanOf(values: readonly number[]) {
  const { low, high } = meanInterval(values.map((value, i) => ({ value, cluster: String(i) })));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { f1: round(mean), interval: [round(low), round(high)] };
}

const base = read(flags.untrained);
const ofSeeds = flags.seed.map(read);
const untrained = policy("untrained", base, "base");
const seeds = ofSeeds.map((cells, i) => policy(`seed ${i + 1}`, cells, "trained"));
const control = flags.control === undefined ? [] : [policy("control", read(flags.control), "trained")];
const baselines = ["bm25", "truncated"].map((system) => policy(system, base, system));
const trainedReaders = ofSeeds.map((cells, i) =>
  policy(`bm25, read by seed ${i + 1}`, cells, "bm25-trained"),
);

const cells = [untrained, ...seeds, ...control, ...baselines, ...trainedReaders].flatMap(([policy, all]) =>
  all.map((cell) => ({
    policy,
    documents: cell.documents,
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
  const scores = new Map<string, number[]>();
  for (const cell of found) {
    if (cell === undefined) return undefined;
    for (const { question, f1 } of cell.questions)
      scores.set(question, [...(scores.get(question) ?? []), f1]);
  }
  const ofAll = [...scores].filter(([, f1s]) => f1s.length === found.length);
  return new Map(ofAll.map(([question, f1s]) => [question, f1s.reduce((a, b) => a + b, 0) / f1s.length]));
}

const couples: readonly (readonly [string, readonly Policy[], readonly Policy[]])[] = [
  ...seeds.map((seed) => [`${seed[0]} - untrained`, [seed], [untrained]] as const),
  ["seeds - untrained", seeds, [untrained]],
  ...baselines.map((one) => [`seeds - ${one[0]}`, seeds, [one]] as const),
  ["seeds - bm25, read by the seeds", seeds, trainedReaders] as const,
  ...control.flatMap((one) => [
    ["control - untrained", [one], [untrained]] as const,
    ["seeds - control", seeds, [one]] as const,
  ]),
];
const compared = untrained[1].flatMap(({ documents, documentTokens }) =>
  couples.flatMap(([difference, after, before]) => {
    const [first, second] = [scores(before, documents), scores(after, documents)];
    if (first === undefined || second === undefined || first.size === 0 || second.size === 0) return [];
    // Of a cell with fewer questions these are asked first, in the same order.
    const values = [...second].flatMap(([question, f1]) => {
      const other = first.get(question);
      return other === undefined ? [] : [f1 - other];
    });
    const p = signFlipP(values.map((value, i) => ({ value, cluster: String(i) })));
    return [{ documents, documentTokens, difference, questions: values.length, ...meanOf(values), p }];
  }),
);
const adjusted = holm(compared.map(({ p }) => p));
const differences = compared.map(({ p, ...row }, i) => ({
  ...row,
  p: round(p),
  holm: round(adjusted[i] ?? 1),
}));

/** F1 in the longest context over F1 in the shortest, on the questions that were asked in both; the interval draws questions. */
const lengths = (seeds[0]?.[1] ?? []).map(({ documents }) => documents);
const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
const [before, after] = [scores(seeds, shortest), scores(seeds, longest)];
const kept = [...(after ?? [])].flatMap(([question, f1]) => {
  const at = before?.get(question);
  return at === undefined ? [] : [[at, f1] as const];
});
const ratio = (rows: readonly (readonly [number, number])[]) =>
  rows.reduce((sum, [, f1]) => sum + f1, 0) / rows.reduce((sum, [f1]) => sum + f1, 0);
const random = createRandom("ratio");
const draws = Array.from({ length: 4000 }, () =>
  ratio(kept.map(() => kept[random.below(kept.length)] ?? [0, 0])),
).sort((a, b) => a - b);
const retention = {
  documents: [shortest, longest],
  questions: kept.length,
  ratio: round(ratio(kept)),
  interval: [round(draws[100] ?? Number.NaN), round(draws[3899] ?? Number.NaN)],
};
console.table(cells);
console.table(differences);
console.log(retention);
if (flags.json !== undefined) writeResult(flags.json, { cells, differences, retention });
