import type { Backend } from "../backend/backend.js";
import { checkChoice, checkOptions, JitError } from "../base/error.js";
import { checkHostSize, checkSpec, checkStateSpec, type StateSpec } from "../base/spec.js";
import type { JitFunction } from "../trace/jit-function.js";
import { inOneBody } from "../trace/stages.js";
import { EagerModule } from "./eager-module.js";
import { GraphModule } from "./graph-module.js";
import type { JitMode, JitModule, JitPrecision } from "./jit-module.js";

export interface JitOptions {
  readonly backend: Backend;
  /** Entries that all functions share, initialized to zeros. */
  readonly state: Readonly<Record<string, StateSpec>>;
  readonly functions: Readonly<Record<string, JitFunction>>;
  /** "auto": on tensorflow xla if it runs on a GPU and graph if not, eager elsewhere. */
  readonly mode?: "auto" | JitMode;
  /**
   * Default float32. Mode eager always computes in float32, and a GPU may round it to TF32; the module's `precision` is the
   * one that is actually used.
   */
  readonly precision?: JitPrecision;
  /**
   * Number of copies of the state, each on its own GPU, on which functions run concurrently; in mode xla. On a CPU they share it.
   * Default 1.
   */
  readonly replicas?: number;
  /** By name, the float32 entries of the state that `reduce` sums over all replicas. */
  readonly reductions?: Readonly<Record<string, readonly string[]>>;
}

const optionNames = ["backend", "state", "functions", "mode", "precision", "replicas", "reductions"];

/**
 * Makes functions over shared state callable, either traced into one TensorFlow graph or run op by op. A dimension is at most
 * 2,147,483,647; inputs and outputs, and in mode eager state entries, have at most 2³² values.
 * @throws {JitError} INVALID_OPTIONS, NO_SHAPE_INFERENCE, HOST_READ_WHILE_TRACING, SHAPE_MISMATCH, UNKNOWN_STATE
 */
export function jit(options: JitOptions): JitModule {
  const { backend, state, functions } = checkOptions("jit()", options, optionNames);
  checkOptions("jit(): backend", backend);
  checkOptions("jit(): state", state);
  for (const one of Object.values(checkOptions("jit(): functions", functions)))
    checkOptions("jit(): inputs of a function", checkOptions("jit(): a function", one).inputs);
  if (options.mode !== undefined) checkChoice("mode", options.mode, ["auto", "eager", "xla", "graph"]);
  for (const [name, spec] of Object.entries(state)) checkStateSpec(`state ${JSON.stringify(name)}`, spec);
  for (const [name, fn] of Object.entries(functions)) {
    for (const [input, spec] of Object.entries(fn.inputs)) {
      const label = `input ${JSON.stringify(input)} of function ${JSON.stringify(name)}`;
      checkSpec(label, spec);
      checkHostSize(label, spec);
    }
  }
  const wanted = options.mode ?? "auto";
  const mode = wanted === "auto" ? defaultMode(backend) : wanted;
  const { replicas = 1, reductions = {} } = options;
  checkReplicas(replicas, mode, backend);
  checkReductions(reductions, state);
  if (mode === "eager") return new EagerModule(backend, state, inOneBody(functions), Object.keys(reductions));
  if (backend.name !== "tensorflow") {
    throw new JitError(
      "INVALID_OPTIONS",
      `mode ${mode} needs the tensorflow backend, but the backend is ${backend.name}; use mode auto`,
    );
  }
  const precision = options.precision ?? "float32";
  const staged = replicas === 1 ? inOneBody(functions) : functions;
  return new GraphModule(backend, { state, functions: staged, mode, precision, replicas, reductions });
}

/** On a GPU, XLA saves launching a graph's kernels one by one; on a CPU compilation is not worth its time. */
function defaultMode(backend: Backend): JitMode {
  if (backend.name !== "tensorflow") return "eager";
  return backend.gpu ? "xla" : "graph";
}

/** Refuses replicas that a mode does not support or for which there are not enough GPUs. */
export function checkReplicas(replicas: number, mode: JitMode, backend: Pick<Backend, "gpu" | "gpus">): void {
  const refuse = (problem: string): never => {
    throw new JitError("INVALID_OPTIONS", `replicas is ${replicas}${problem}`);
  };
  if (!Number.isInteger(replicas) || replicas < 1) refuse("; give a whole number > 0");
  if (replicas === 1) return;
  if (mode !== "xla") refuse(`, but mode ${mode} has only one; use mode xla`);
  if (backend.gpu && backend.gpus !== undefined && replicas > backend.gpus)
    refuse(
      `, which need a GPU each, but this process sees ${backend.gpus}; lower replicas, or let the process see more (CUDA_VISIBLE_DEVICES)`,
    );
}

/** Refuses reductions of entries that are not entirely float32: NCCL in this TensorFlow has no bfloat16. */
function checkReductions(
  reductions: Readonly<Record<string, readonly string[]>>,
  state: Readonly<Record<string, StateSpec>>,
): void {
  for (const [name, entries] of Object.entries(reductions))
    for (const entry of entries) {
      const { dtype, stored = dtype } = state[entry] ?? {};
      if (dtype === "float32" && stored === "float32") continue;
      throw new JitError(
        "INVALID_OPTIONS",
        `reductions.${name} names ${entry}, which is ${dtype === undefined ? "not in the state" : `stored as ${stored}`}; only float32 entries are summed over replicas`,
      );
    }
}
