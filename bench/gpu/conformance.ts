/**
 * Runs every conformance case on whatever device TensorFlow has: eager, as a graph and through XLA. Each is compared
 * with tfjs's own JavaScript kernels where they have the operation, else with TensorFlow eager.
 * Differences are printed, and the exit status is 1 if there are any. Matrix products on a GPU run in TF32, which has
 * 10 bits of mantissa, unless NVIDIA_TF32_OVERRIDE=0 is set.
 * Usage: tsx bench/gpu/conformance.ts [--modes eager,graph,xla] [--only REGEXP] [--json FILE]
 */

import { type HostArrays, type JitMode, jit, loadBackend } from "../../packages/learning/jit/src/index.js";
import { functionOf, inputsOf } from "../../packages/learning/jit/src/testing/compare.js";
import { cases } from "../../packages/learning/jit/src/testing/table.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({ modes: "eager,graph,xla", only: "", json: undefined });
const TOLERANCE = 1e-5;
const table = Object.entries(cases).filter(([name]) => new RegExp(flags.only).test(name));

/** Returns the largest difference relative to 1 + |expected|, or 0 if all are within tolerance. */
function beyond(actual: HostArrays, expected: HostArrays): number {
  let worst = 0;
  for (const [output, values] of Object.entries(expected)) {
    const got = actual[output];
    if (got?.length !== values.length) return Number.POSITIVE_INFINITY;
    values.forEach((value, index) => {
      const found = got[index] ?? Number.NaN;
      if (Object.is(found, value) || found === value) return;
      const difference = Math.abs(found - value) / (1 + Math.abs(value));
      if (!(difference <= TOLERANCE))
        worst = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : Math.max(worst, difference);
    });
  }
  return worst;
}

const expected = new Map<string, HostArrays>();
const script = await loadBackend({ prefer: "cpu" });
for (const [name, given] of table) {
  if (given.lacking?.includes("cpu")) continue;
  const module = jit({ backend: script, state: {}, functions: { run: functionOf(given) } });
  expected.set(name, module.call("run", inputsOf(given)));
}
const fromScript = expected.size;

const backend = await loadBackend({ prefer: "tensorflow" });
console.log(`tensorflow ${backend.tensorflowVersion}, ${backend.gpu ? "GPU" : "CPU"}`);
const differences: { mode: JitMode; name: string; what: number | string }[] = [];
const seconds: Record<string, number> = {};
for (const mode of flags.modes.split(",") as JitMode[]) {
  const started = performance.now();
  for (const [name, given] of table) {
    const differs = (what: number | string) => {
      differences.push({ mode, name, what });
      console.log(`${mode} ${name}: ${typeof what === "number" ? `off by ${what}` : what}`);
    };
    try {
      const module = jit({ backend, state: {}, functions: { run: functionOf(given) }, mode });
      const actual = module.call("run", inputsOf(given));
      module.dispose();
      const wanted = expected.get(name);
      if (wanted === undefined) expected.set(name, actual);
      const worst = beyond(actual, wanted ?? actual);
      if (worst > 0) differs(worst);
    } catch (error) {
      differs(error instanceof Error ? error.message.slice(0, 400) : String(error));
    }
  }
  seconds[mode] = Number(((performance.now() - started) / 1000).toFixed(1));
  console.log(`${mode}: ${table.length} cases in ${seconds[mode]} s`);
}
console.log(differences.length === 0 ? "all equal" : `${differences.length} differ`);
const tf32 = process.env["NVIDIA_TF32_OVERRIDE"] !== "0";
const { tensorflowVersion, gpu } = backend;
const facts = {
  tensorflowVersion,
  gpu,
  tf32,
  cases: table.length,
  fromScript,
  tolerance: TOLERANCE,
  seconds,
};
if (flags.json !== undefined) writeResult(flags.json, { ...facts, differences });
process.exit(differences.length === 0 ? 0 : 1);
