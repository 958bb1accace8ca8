import type * as tf from "@tensorflow/tfjs";
import type { Backend } from "./backend.js";
import { EagerModule } from "./eager-module.js";
import { JitError } from "./error.js";
import { GraphModule } from "./graph-module.js";
import { checkReductions, checkReplicas } from "./replica-checks.js";
import {
  checkHostSize,
  checkSpec,
  checkStateSpec,
  type HostArray,
  type StateSpec,
  type TensorSpec,
} from "./spec.js";
import { inOneBody } from "./stages.js";
import type { FunctionStats } from "./stats.js";

export type Tensors = Readonly<Record<string, tf.Tensor>>;
export type HostArrays = Readonly<Record<string, HostArray>>;

/**
 * Pure: computes outputs and the new value of the state entries that it changes. Static shapes, no reads of values on
 * the host. In mode graph it runs once, on shapes; in mode eager on every call, inside a tidy.
 */
export type JitBody = (
  state: Tensors,
  inputs: Tensors,
) => { readonly outputs: Tensors; readonly state?: Tensors };

export interface JitFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly body: JitBody;
  /** What comes after the body in the same run. Only the last stage changes the state. */
  readonly next?: JitStage;
}

/** What replicas do with sums over all of them; one replica's sums are what it has, and all stages are one body. */
export interface JitStage {
  /** float32 outputs of what comes before: they are not returned but summed over all replicas, and are inputs of all that follows. */
  readonly sums: readonly string[];
  /** Given the function's inputs and all sums so far. */
  readonly body: JitBody;
  readonly next?: JitStage;
}

export type JitMode = "eager" | "graph" | "xla";

/** bfloat16: matrix products round their inputs to it; sums, everything else and the state stay float32. */
export type JitPrecision = "float32" | "bfloat16";

/** tf32: float32 on a GPU whose products round their inputs to 10 bits of mantissa. It cannot be asked for. */
export type ComputedPrecision = JitPrecision | "tf32";

export interface JitOptions {
  readonly backend: Backend;
  /** Entries that all functions share. They start as zeros. */
  readonly state: Readonly<Record<string, StateSpec>>;
  readonly functions: Readonly<Record<string, JitFunction>>;
  /** "auto": on tensorflow xla where it runs on a GPU and graph where not, eager elsewhere. */
  readonly mode?: "auto" | JitMode;
  /**
   * Default float32. Mode eager computes in it whatever is asked for, and a GPU may round it to TF32; the module's
   * `precision` says what is done.
   */
  readonly precision?: JitPrecision;
  /**
   * Copies of the state, each on a GPU of its own, that functions run on side by side; in mode xla. On a CPU they share it.
   * Default 1.
   */
  readonly replicas?: number;
  /** By name, float32 entries of the state that `reduce` sums over all replicas. */
  readonly reductions?: Readonly<Record<string, readonly string[]>>;
}

export interface JitModule {
  readonly mode: JitMode;
  /** Copies of the state. */
  readonly replicas: number;
  /** What matrix products really round their inputs to. */
  readonly precision: ComputedPrecision;
  /**
   * Runs one function, synchronously, on every replica with the same inputs. Inputs are host arrays, row-major, one for each
   * declared input.
   * @returns the outputs of the first replica, copied to the host
   * @throws {JitError} UNKNOWN_FUNCTION, UNKNOWN_INPUT, DTYPE_MISMATCH, SHAPE_MISMATCH, EXECUTION_FAILED, MEMORY_EXHAUSTED,
   *   STATE_LOST, DISPOSED
   */
  call(name: string, inputs: HostArrays): Record<string, HostArray>;
  /**
   * As `call`, with inputs and outputs of each replica; all run at the same time.
   * @throws {JitError} as `call`; INVALID_OPTIONS unless there are as many inputs as replicas
   */
  callEach(name: string, inputs: readonly HostArrays[]): Record<string, HostArray>[];
  /** Replaces the entries of a reduction by their sums over all replicas, on each. @throws {JitError} UNKNOWN_FUNCTION, as `call` */
  reduce(name: string): void;
  /**
   * On every replica, replaces the entries named in `values`, all or none where sizes do not fit.
   * @throws {JitError} UNKNOWN_STATE, SHAPE_MISMATCH, EXECUTION_FAILED, MEMORY_EXHAUSTED, DISPOSED
   */
  writeState(values: HostArrays): void;
  /**
   * As `writeState`, with the values of each replica, which name the same entries.
   * @throws {JitError} as `writeState`; INVALID_OPTIONS unless there are as many as replicas, of the same entries
   */
  writeEach(values: readonly HostArrays[]): void;
  /**
   * Copies entries of the first replica to the host: the named ones, or all.
   * @throws {JitError} UNKNOWN_STATE; INVALID_OPTIONS for an entry of more than 2³² values, which no array holds; DISPOSED
   */
  readState(names?: readonly string[]): Record<string, HostArray>;
  /** As `readState`, of each replica. */
  readEach(names: readonly string[]): Record<string, HostArray>[];
  /** Shape and type of a function's outputs. In mode eager they are known after the first call. */
  outputSpecs(name: string): Readonly<Record<string, TensorSpec>>;
  readonly stats: Readonly<Record<string, FunctionStats>>;
  /** Frees the state. Calls after it throw DISPOSED; a second dispose does nothing. */
  dispose(): void;
}

/**
 * Makes functions over shared state callable: traced into one TensorFlow graph, or run tensor by tensor. A dimension is at most
 * 2,147,483,647; inputs and outputs, and in mode eager state entries, have at most 2³² values.
 * @throws {JitError} INVALID_OPTIONS, NO_SHAPE_INFERENCE, HOST_READ_WHILE_TRACING, SHAPE_MISMATCH, UNKNOWN_STATE
 */
export function jit(options: JitOptions): JitModule {
  const { backend, state, functions } = options;
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
      `mode ${mode} needs the tensorflow backend, this one is ${backend.name}; use auto`,
    );
  }
  const precision = options.precision ?? "float32";
  const staged = replicas === 1 ? inOneBody(functions) : functions;
  return new GraphModule(backend, { state, functions: staged, mode, precision, replicas, reductions });
}

/** On a GPU the kernels of a graph are launched one by one, which XLA saves; on a CPU it is not worth compiling for. */
function defaultMode(backend: Backend): JitMode {
  if (backend.name !== "tensorflow") return "eager";
  return backend.gpu ? "xla" : "graph";
}
