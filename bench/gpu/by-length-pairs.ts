/**
 * Compares what by-length.ts wrote for policies that answered the same questions: the F1 of each system in every length, differences
 * with 95 % intervals of the paired bootstrap over questions and p of sign flips, by Holm over all of them, and what the longest
 * context leaves of the F1 in the shortest. The seeds together count a question once, by its mean over those that were asked it.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/by-length-pairs.ts --untrained FILE --seed FILE... [--control FILE]... [--json FILE]
 */
import { readFileSync } from "node:fs";
import { holm, meanInterval, signFlipP } from "../../packages/learning/evals/src/resampling.js";
import { createRandom } from "../../packages/runtime/std/src/random/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

/** One question of a cell of by-length.ts. */
export interface AskedQuestion {
  readonly question: string;
  readonly answers: readonly string[];
  readonly f1: number;
  readonly exactMatch: number;
  readonly memory?: string;
  readonly recalls?: number;
  readonly evidenceOrder?: string;
}

/** One cell of by-length.ts. */
export interface AskedCell {
  readonly system: string;
  readonly documents: number;
  readonly documentTokens: number;
  readonly metrics: Readonly<Record<string, { readonly value: number }>>;
  readonly truncatedShare: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  readonly seconds: number;
  readonly questions: readonly AskedQuestion[];
}

type Policy = readonly [name: string, cells: readonly AskedCell[]];
type Policies = readonly Policy[];

/** Files of by-length.ts, read. */
export interface PairedFiles {
  readonly untrained: readonly AskedCell[];
  readonly seeds: readonly (readonly AskedCell[])[];
  readonly controls?: readonly (readonly AskedCell[])[];
}

/** Reads a file of by-length.ts. Cells of one system and length, which were asked different questions of it, become one. */
export function readCells(file: string): readonly AskedCell[] {
  const found = new Map<string, AskedCell>();
  for (const cell of JSON.parse(readFileSync(file, "utf8")) as readonly AskedCell[]) {
    const name = `${cell.system} ${cell.documents}`;
    const before = found.get(name);
    found.set(name, before === undefined ? cell : joined(before, cell));
  }
  return [...found.values()];
}

function joined(one: AskedCell, other: AskedCell): AskedCell {
  const questions = [...one.questions, ...other.questions];
  const mean = (of: (cell: AskedCell) => number) =>
    (one.questions.length * of(one) + other.questions.length * of(other)) / questions.length;
  const metrics = Object.fromEntries(
    Object.keys(one.metrics).map((name) => [
      name,
      { value: mean(({ metrics }) => metrics[name]?.value ?? Number.NaN) },
    ]),
  );
  return {
    ...one,
    metrics,
    documentTokens: Math.round(mean(({ documentTokens }) => documentTokens)),
    truncatedShare: mean(({ truncatedShare }) => truncatedShare),
    sampledTokens: one.sampledTokens + other.sampledTokens,
    conversations: one.conversations + other.conversations,
    seconds: one.seconds + other.seconds,
    questions,
  };
}

const policy = (name: string, cells: readonly AskedCell[], system: string): Policy => [
  name,
  cells.filter((cell) => cell.system === system),
];
const rounded = (value: number): number => Number(value.toFixed(3));
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean with its interval, of values that belong to different questions. */
export function intervalOf(values: readonly number[]) {
  const { low, high } = meanInterval(values.map((value, i) => ({ value, cluster: String(i) })));
  return { f1: rounded(meanOf(values)), interval: [rounded(low), rounded(high)] };
}

const allOf = (cells: readonly AskedCell[], documents: number) =>
  cells.filter((cell) => cell.documents === documents);

/** The F1 of each question in one length, a mean over those policies that were asked it; undefined if one was asked nothing. */
function scores(policies: Policies, documents: number): ReadonlyMap<string, number> | undefined {
  const scores = new Map<string, number[]>();
  for (const [, cells] of policies) {
    const found = allOf(cells, documents);
    if (found.length === 0) return undefined;
    for (const { question, f1 } of found.flatMap(({ questions }) => questions))
      scores.set(question, [...(scores.get(question) ?? []), f1]);
  }
  return new Map([...scores].map(([question, f1s]) => [question, meanOf(f1s)]));
}

/** F1 in the longest context over F1 in the shortest, of each policy's own questions in both; the interval draws questions. */
function retentionOf(policies: Policies) {
  const lengths = policies.flatMap(([, cells]) => cells.map(({ documents }) => documents));
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const pairs = new Map<string, (readonly [number, number])[]>();
  for (const one of policies) {
    const [before, after] = [scores([one], shortest), scores([one], longest)];
    for (const [question, f1] of after ?? []) {
      const at = before?.get(question);
      if (at !== undefined) pairs.set(question, [...(pairs.get(question) ?? []), [at, f1]]);
    }
  }
  const kept = [...pairs.values()].map(
    (each) => [meanOf(each.map(([at]) => at)), meanOf(each.map(([, f1]) => f1))] as const,
  );
  const ratio = (rows: readonly (readonly [number, number])[]) =>
    rows.reduce((sum, [, f1]) => sum + f1, 0) / rows.reduce((sum, [f1]) => sum + f1, 0);
  const random = createRandom("ratio");
  const draws = Array.from({ length: 4000 }, () =>
    ratio(kept.map(() => kept[random.below(kept.length)] ?? [0, 0])),
  ).sort((a, b) => a - b);
  return {
    documents: [shortest, longest],
    questions: kept.length,
    ratio: rounded(ratio(kept)),
    interval: [rounded(draws[100] ?? Number.NaN), rounded(draws[3899] ?? Number.NaN)],
  };
}

/** All cells, differences and the retention of policies that were asked the same questions. */
export function pairedFigures({ untrained: base, seeds: ofSeeds, controls: ofControls = [] }: PairedFiles) {
  const untrained = policy("untrained", base, "base");
  const seeds = ofSeeds.map((cells, i) => policy(`seed ${i + 1}`, cells, "trained"));
  const controls = ofControls.map((cells, i) => policy(`control ${i + 1}`, cells, "trained"));
  const baselines = ["bm25", "truncated", "full"].map((system) => policy(system, base, system));
  const trainedReaders = ofSeeds.map((cells, i) =>
    policy(`bm25, read by seed ${i + 1}`, cells, "bm25-trained"),
  );
  const documents = [
    ...new Set([untrained, ...seeds].flatMap(([, cells]) => cells.map((cell) => cell.documents))),
  ];
  /** Of one length for all, since a search counts no text and some were asked fewer questions. */
  const tokensOf = (length: number) =>
    [untrained, ...seeds].flatMap(([, cells]) => allOf(cells, length))[0]?.documentTokens ?? 0;
  const ofEach = [untrained, ...seeds, ...controls, ...baselines, ...trainedReaders].flatMap(([name, all]) =>
    all.map((cell) => ({
      policy: name,
      documents: cell.documents,
      documentTokens: tokensOf(cell.documents),
      questions: cell.questions.length,
      ...intervalOf(cell.questions.map(({ f1 }) => f1)),
      exactMatch: rounded(cell.metrics["exactMatch"]?.value ?? Number.NaN),
      truncatedShare: rounded(cell.truncatedShare),
      // The last conversation of a question is its answer.
      sampledTokensPerConversation: rounded(cell.sampledTokens / cell.conversations),
      seconds: cell.seconds,
    })),
  );
  const together = [
    ["seeds", seeds],
    ["bm25, read by the seeds", trainedReaders],
    ["controls", controls],
  ] as const;
  const ofAll = together.flatMap(([name, policies]) =>
    documents.flatMap((length) => {
      const found = policies.length > 1 ? scores(policies, length) : undefined;
      if (found === undefined) return [];
      const { f1, interval } = intervalOf([...found.values()]);
      return [
        {
          policy: name,
          documents: length,
          documentTokens: tokensOf(length),
          questions: found.size,
          f1,
          interval,
        },
      ];
    }),
  );
  const couples: readonly (readonly [string, Policies, Policies])[] = [
    ...seeds.map((seed) => [`${seed[0]} - untrained`, [seed], [untrained]] as const),
    ["seeds - untrained", seeds, [untrained]],
    ...baselines.map((one) => [`seeds - ${one[0]}`, seeds, [one]] as const),
    ["seeds - bm25, read by the seeds", seeds, trainedReaders] as const,
    ...(controls.length === 0
      ? []
      : ([
          ["controls - untrained", controls, [untrained]],
          ["seeds - controls", seeds, controls],
        ] as const)),
  ];
  const compared = documents.flatMap((length) =>
    couples.flatMap(([difference, after, before]) => {
      const [first, second] = [scores(before, length), scores(after, length)];
      // Of a cell with fewer questions these are asked first, in the same order.
      const values = [...(second ?? [])].flatMap(([question, f1]) => {
        const other = first?.get(question);
        return other === undefined ? [] : [f1 - other];
      });
      if (values.length === 0) return [];
      const documentTokens = tokensOf(length);
      const p = signFlipP(values.map((value, i) => ({ value, cluster: String(i) })));
      const { f1, interval } = intervalOf(values);
      return [{ documents: length, documentTokens, difference, questions: values.length, f1, interval, p }];
    }),
  );
  const adjusted = holm(compared.map(({ p }) => p));
  const differences = compared.map(({ p, ...row }, i) => ({
    ...row,
    p: rounded(p),
    holm: rounded(adjusted[i] ?? 1),
  }));
  return { cells: [...ofEach, ...ofAll], differences, retention: retentionOf(seeds) };
}

if (process.argv[1] === import.meta.filename) {
  const flags = benchFlags({ untrained: "", seed: [], control: [], json: undefined });
  const figures = pairedFigures({
    untrained: readCells(flags.untrained),
    seeds: flags.seed.map(readCells),
    controls: flags.control.map(readCells),
  });
  console.table(figures.cells);
  console.table(figures.differences);
  console.log(figures.retention);
  if (flags.json !== undefined) writeResult(flags.json, figures);
}
