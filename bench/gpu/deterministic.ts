/**
 * Measures what `learner.deterministic` costs on a GPU, and checks that it works: updates of 494M parameters with sums
 * in any order and in a fixed one alternate in two processes each, and the gradient norms of their first updates are
 * compared bit by bit.
 * Exits with 1 if two processes with a fixed order differ.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/deterministic.ts [--seconds 6] [--small] [--json FILE]
 */
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { caseProcess, shapes } from "./case.js";

const flags = benchFlags({ seconds: "6", small: false, json: undefined });

const shape = flags.small
  ? { ...shapes.tiny, rows: 8, length: 64, threads: 2 }
  : { ...shapes.half, rows: 8, length: 2048, threads: 8 };

interface Run {
  readonly deterministic: boolean;
  readonly tokensPerSecond: number;
  readonly firstUpdateSeconds: number;
  /** The gradient norms of the first updates, with all digits. */
  readonly gradientNorms: readonly number[];
}

async function run(deterministic: boolean): Promise<Run> {
  const learner = caseProcess("learner", "../learner-case.ts");
  const precision = flags.small ? "float32" : "bfloat16";
  const setup = { prefer: "tensorflow", mode: "xla", precision, shape, deterministic };
  const ready = await learner.ask(setup);
  if (ready === undefined) throw new Error("the learner ended before its first update");
  const { firstMs, gradientNorm } = ready as { firstMs: number; gradientNorm: number };
  const rates: number[] = [];
  const norms = [gradientNorm];
  for (const seconds of [1, Number(flags.seconds), Number(flags.seconds)]) {
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
    deterministic,
    tokensPerSecond: Math.round(median(rates.slice(1))),
    firstUpdateSeconds: Number((firstMs / 1000).toFixed(1)),
    gradientNorms: norms.slice(0, 5),
  };
}

const runs: Run[] = [];
for (const deterministic of [false, true, false, true]) {
  runs.push(await run(deterministic));
  console.log(JSON.stringify(runs.at(-1)));
}
const of = (deterministic: boolean) => runs.filter((one) => one.deterministic === deterministic);
const rate = (deterministic: boolean) =>
  median(of(deterministic).map(({ tokensPerSecond }) => tokensPerSecond));
/** How many of the first updates have the same bits in both processes. */
const alike = (deterministic: boolean) => {
  const [one, other] = of(deterministic).map(({ gradientNorms }) => gradientNorms);
  const parted = one?.findIndex((norm, update) => norm !== other?.[update]) ?? 0;
  return parted < 0 ? (one?.length ?? 0) : parted;
};
const result = {
  anyOrder: { tokensPerSecond: rate(false), updatesAlike: alike(false) },
  fixedOrder: { tokensPerSecond: rate(true), updatesAlike: alike(true) },
  price: Number((1 - rate(true) / rate(false)).toFixed(4)),
  runs,
};
console.log(JSON.stringify({ ...result, runs: runs.length }));
if (flags.json !== undefined) writeResult(flags.json, result);
process.exit(result.fixedOrder.updatesAlike < 5 ? 1 : 0);
