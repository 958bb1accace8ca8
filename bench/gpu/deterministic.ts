/**
 * Measures what `learner.deterministic` costs on a GPU, and checks that it works: updates of 494M parameters in several variants, each in
 * its own process, with the gradient norms of the first updates, which two processes with a fixed order must share bit by bit. Then how many
 * log-probs differ in any bit, and by how much at most, with the same weights: between the learner's function that scores rows and the one
 * that trains on them, where each row has the same neighbors in both ("alike") or others ("apart"), and between sampler and learner. A
 * ratio that is not 1 tells a difference: in float32 those of log-probs below -0.5 are all seen. Prints a line of JSON for each variant,
 * which ends after --limit seconds, done or not.
 * Exits with 1 if two processes with a fixed order differ, or a log-prob that is scored alike does with it.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/deterministic.ts [--seconds 4] [--only REGEXP] [--limit 150] [--small] [--json FILE]
 */
import { Contender, median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { caseArgs, shapes } from "./case.js";

const flags = benchFlags({ seconds: "4", only: "", limit: "150", small: false, json: undefined });

const shape = flags.small
  ? { ...shapes.tiny, rows: 8, length: 64, threads: 2 }
  : { ...shapes.half, rows: 8, length: 2048, threads: 8 };

interface Variant {
  readonly name: string;
  readonly deterministic?: boolean;
  readonly orderedSums?: boolean;
  readonly xlaFlags?: string;
  /** Micro-batches whose log-probs are compared; absent: updates are timed. */
  readonly compared?: number;
  /** Whether rows are scored beside others than those with which they are trained. */
  readonly apart?: boolean;
  /** Micro-batches whose log-probs are those of a sampler. */
  readonly sampled?: number;
  readonly batchInvariant?: boolean;
}

const compared = flags.small ? 2 : 13;
/** Shorter rows, and more of them: 106,496 sampled tokens. */
const sampled = flags.small ? { sampled: 2 } : { sampled: 13, shape: { ...shape, rows: 32, length: 512 } };
const variants: readonly Variant[] = [
  { name: "any order" },
  { name: "fixed order", deterministic: true },
  { name: "fixed order, again", deterministic: true },
  { name: "log-probs alike, fixed order", deterministic: true, compared },
  { name: "log-probs apart, fixed order", deterministic: true, compared, apart: true },
  { name: "log-probs alike, any order", compared },
  { name: "log-probs of a sampler, fixed order", deterministic: true, ...sampled },
  // Only on a CPU; elsewhere it fails and says so.
  ...(flags.small
    ? [{ name: "log-probs of an invariant sampler", deterministic: true, ...sampled, batchInvariant: true }]
    : []),
  // Which part costs what: products are chosen by time, or only segments are summed in order, or scatters are loops.
  {
    name: "fixed kernels, products by time",
    orderedSums: true,
    xlaFlags: "--xla_gpu_exclude_nondeterministic_ops=true",
  },
  { name: "only segments in order", orderedSums: true },
  { name: "fixed order, scatters as loops", deterministic: true, orderedSums: false },
];

interface Run {
  readonly name: string;
  readonly tokensPerSecond?: number;
  readonly firstUpdateSeconds?: number;
  /** The gradient norms of the first updates, with all digits. */
  readonly gradientNorms?: readonly number[];
  readonly logprobsCompared?: number;
  readonly differing?: number;
  readonly maxDifference?: number;
  readonly failed?: string;
}

async function run({ name, xlaFlags, ...given }: Variant): Promise<Run> {
  const own = xlaFlags === undefined ? [] : [`XLA_FLAGS=${[process.env["XLA_FLAGS"], xlaFlags].join(" ")}`];
  const program = given.sampled === undefined ? "../learner-case.ts" : "sampled-case.ts";
  // The limit holds whatever the process waits for.
  const limited = ["--signal=KILL", flags.limit, "env", ...own, process.execPath, ...caseArgs(program)];
  const learner = new Contender(name, "timeout", limited, "inherit");
  const precision = flags.small ? "float32" : "bfloat16";
  const ready = await learner.ask({ prefer: "tensorflow", mode: "xla", precision, shape, ...given });
  if (ready === undefined)
    return { name, failed: `it ended, at the latest after ${flags.limit} s, before it answered` };
  if (given.compared !== undefined || given.sampled !== undefined) return { name, ...ready };
  const { firstMs, gradientNorm } = ready as { firstMs: number; gradientNorm: number };
  const rates: number[] = [];
  const norms = [gradientNorm];
  for (const seconds of [0.5, Number(flags.seconds) / 2, Number(flags.seconds) / 2]) {
    const turn = (await learner.ask({ seconds })) as {
      updates: number;
      seconds: number;
      gradientNorms: number[];
    };
    rates.push((shape.rows * shape.length * turn.updates) / turn.seconds);
    norms.push(...turn.gradientNorms);
  }
  await learner.close();
  return {
    name,
    tokensPerSecond: Math.round(median(rates.slice(1))),
    firstUpdateSeconds: Number((firstMs / 1000).toFixed(1)),
    gradientNorms: norms.slice(0, 5),
  };
}

const runs: Run[] = [];
const of = (name: string) => runs.find((one) => one.name === name);
function told() {
  const [any, fixed, again] = ["any order", "fixed order", "fixed order, again"].map(of);
  const parted = fixed?.gradientNorms?.findIndex((norm, update) => norm !== again?.gradientNorms?.[update]);
  const rate = (one: Run | undefined) => one?.tokensPerSecond ?? Number.NaN;
  return {
    /** How many of the first updates have the same bits in both processes. */
    updatesAlike: again === undefined || parted === undefined ? undefined : parted < 0 ? 5 : parted,
    /** Time of a step in a fixed order by that in any. */
    price: Number((rate(any) / rate(fixed)).toFixed(4)),
    runs,
  };
}
const only = new RegExp(flags.only);
for (const variant of variants.filter(({ name }) => only.test(name))) {
  const from = performance.now();
  const result = await run(variant).catch((error: unknown) => ({
    name: variant.name,
    failed: String(error),
  }));
  runs.push(result);
  console.log(JSON.stringify({ ...result, wallSeconds: Math.round((performance.now() - from) / 1000) }));
  if (flags.json !== undefined) writeResult(flags.json, told());
}
const { updatesAlike, price } = told();
console.log(JSON.stringify({ updatesAlike, price }));
const isBroken = (updatesAlike ?? 5) < 5 || (of("log-probs alike, fixed order")?.differing ?? 0) > 0;
process.exit(isBroken ? 1 : 0);
