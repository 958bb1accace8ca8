import { liveCount, liveness, sources } from "./liveness.js";
import type { FunctionNodes, GraphProgram } from "./program.js";
import { checkHostSize, type TensorSpec } from "./spec.js";
import { StatsRecorder } from "./stats.js";
import { dtypeOf } from "./tensorflow-binding.js";
import type { TracedFunction } from "./traced-function.js";

/** A function of a graph that is loaded. */
export interface LoadedFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly outputs: Readonly<Record<string, TensorSpec>>;
  /** Of each replica. */
  readonly nodes: readonly FunctionNodes[];
  readonly stats: StatsRecorder;
  /** XLA is handed the memory of the entries that it writes. */
  readonly donates: boolean;
  /** Entries of the state that it reads or writes. */
  readonly uses: ReadonlySet<string>;
}

/** Refuses outputs that no host array can hold. */
export function checkOutputs({ name, outputs }: TracedFunction): void {
  for (const [key, { shape, dtype }] of outputs) {
    const label = `output ${JSON.stringify(key)} of function ${JSON.stringify(name)}`;
    checkHostSize(label, { shape, dtype: dtypeOf(dtype) });
  }
}

export function loaded(
  fn: TracedFunction,
  program: GraphProgram,
  loadMs: number,
  mode: "graph" | "xla",
): LoadedFunction {
  const nodes = program.replicas.flatMap(({ calls }) => calls.get(fn.name) ?? []);
  const outputs = Object.fromEntries(
    [...fn.outputs].map(([key, { shape, dtype }]) => [key, { shape, dtype: dtypeOf(dtype) }]),
  );
  const results = [...fn.outputs.values(), ...fn.state.values()];
  const live = liveness(results);
  const operations = liveCount(live);
  const read = sources(live, results).flatMap(({ origin }) => (origin.kind === "state" ? [origin.name] : []));
  return {
    inputs: fn.inputs,
    outputs,
    nodes,
    donates: mode === "xla" && fn.state.size > 0,
    uses: new Set([...read, ...fn.state.keys()]),
    stats: new StatsRecorder({ traceMs: fn.traceMs, loadMs, operations }),
  };
}
