import { checkHostSize, type TensorSpec } from "../base/spec.js";
import { StatsRecorder } from "../base/stats.js";
import { dtypeOf } from "../base/tensorflow-binding.js";
import type { FunctionNodes } from "../emit/function-nodes.js";
import { liveCount, liveness, sources } from "../emit/liveness.js";
import type { GraphProgram } from "../emit/program.js";
import type { TracedFunction } from "../trace/traced-function.js";
import { returnedOutputs, stagesOf } from "../trace/traced-stages.js";

/** A function of a loaded graph. */
export interface LoadedFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly outputs: Readonly<Record<string, TensorSpec>>;
  /** One entry per replica. */
  readonly nodes: readonly FunctionNodes[];
  readonly stats: StatsRecorder;
  /** Whether XLA is given the memory of the entries that it writes. */
  readonly donates: boolean;
  /** Entries of the state that it reads or writes. */
  readonly uses: ReadonlySet<string>;
}

/** Refuses outputs that no host array can hold. */
export function checkOutputs(fn: TracedFunction): void {
  for (const [key, { shape, dtype }] of returnedOutputs(fn)) {
    const label = `output ${JSON.stringify(key)} of function ${JSON.stringify(fn.name)}`;
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
    [...returnedOutputs(fn)].map(([key, { shape, dtype }]) => [key, { shape, dtype: dtypeOf(dtype) }]),
  );
  const stages = stagesOf(fn);
  const uses = new Set<string>();
  let operations = 0;
  for (const stage of stages) {
    const results = [...stage.outputs.values(), ...stage.state.values()];
    const live = liveness(results);
    operations += liveCount(live);
    for (const { origin } of sources(live, results)) if (origin.kind === "state") uses.add(origin.name);
    for (const key of stage.state.keys()) uses.add(key);
    for (const keys of Object.values(stage.shards ?? {})) for (const key of keys) uses.add(key);
  }
  const traceMs = stages.reduce((sum, stage) => sum + stage.traceMs, 0);
  return {
    inputs: fn.inputs,
    outputs,
    nodes,
    donates: mode === "xla" && stages.some(({ state }) => state.size > 0),
    uses,
    stats: new StatsRecorder({ traceMs, loadMs, operations }),
  };
}
