import type * as tfjs from "@tensorflow/tfjs-core";
import type { Backend } from "../backend/backend.js";
import { JitError } from "../base/error.js";
import { checkHalf, type HalfPart, type HalfPiece, joinedOnHost, roundedPiece } from "../base/half.js";
import { memoryShortage } from "../base/memory-shortage.js";
import {
  checkHostSize,
  type DType,
  type HostArray,
  type StateSpec,
  type TensorSpec,
  zeros,
} from "../base/spec.js";
import { type FunctionStats, StatsRecorder } from "../base/stats.js";
import type { HostArrays, JitFunction } from "../trace/jit-function.js";
import { checkStateEntry } from "../trace/traced-function.js";
import {
  checkEach,
  checkReadHalf,
  checkReplica,
  checkState,
  disposed,
  orderedInputs,
  stateSpec,
  unknownFunction,
} from "./call-checks.js";
import { executionError } from "./execution-error.js";
import type { JitModule } from "./jit-module.js";

/** Functions that run op by op on the active backend; the state is a table of kept tensors. */
export class EagerModule implements JitModule {
  readonly mode = "eager";
  readonly replicas = 1;
  readonly precision: "float32" | "tf32";
  readonly #tf: Backend["tf"];
  readonly #gpu: boolean;
  readonly #specs: Readonly<Record<string, StateSpec>>;
  readonly #functions: Readonly<Record<string, JitFunction>>;
  readonly #state = new Map<string, tfjs.Tensor>();
  readonly #stats = new Map<string, StatsRecorder>();
  readonly #outputs = new Map<string, Readonly<Record<string, TensorSpec>>>();
  readonly #reductions: readonly string[];
  #disposed = false;

  constructor(
    backend: Backend,
    state: Readonly<Record<string, StateSpec>>,
    functions: Readonly<Record<string, JitFunction>>,
    reductions: readonly string[],
  ) {
    this.#reductions = reductions;
    this.#tf = backend.tf;
    this.#gpu = backend.gpu;
    this.precision = backend.tensorFloat32 ? "tf32" : "float32";
    this.#specs = state;
    this.#functions = functions;
    for (const [key, spec] of Object.entries(state)) checkHostSize(`state ${JSON.stringify(key)}`, spec);
    for (const [key, spec] of Object.entries(state)) this.#state.set(key, this.#kept(spec, zeros(spec)));
    for (const name of Object.keys(functions)) {
      this.#stats.set(name, new StatsRecorder({ traceMs: 0, loadMs: 0, operations: 0 }));
    }
  }

  call(name: string, inputs: HostArrays): Record<string, HostArray> {
    const started = performance.now();
    if (this.#disposed) throw disposed();
    const fn = this.#functions[name];
    if (fn === undefined) throw unknownFunction(name, Object.keys(this.#functions));
    const arrays = orderedInputs(name, fn.inputs, inputs);
    const outputs: Record<string, HostArray> = {};
    const specs: Record<string, TensorSpec> = {};
    this.#tf.tidy(() => {
      const tensors: Record<string, tfjs.Tensor> = {};
      Object.entries(fn.inputs).forEach(([key, spec], index) => {
        const values = arrays[index];
        // Copied, because a tensor keeps a reference to its array, and may become state.
        if (values !== undefined) tensors[key] = this.#tf.tensor(values.slice(), [...spec.shape], spec.dtype);
      });
      const result = this.#ran(name, () => fn.body(Object.fromEntries(this.#state), tensors));
      for (const [key, tensor] of Object.entries(result.outputs)) {
        outputs[key] = hostArray(tensor);
        specs[key] = { shape: tensor.shape, dtype: tensor.dtype as DType };
      }
      this.#replace(name, result.state ?? {});
    });
    this.#outputs.set(name, specs);
    this.#stats.get(name)?.add(performance.now() - started);
    return outputs;
  }

  callEach(name: string, inputs: readonly HostArrays[]): Record<string, HostArray>[] {
    checkEach(`function ${JSON.stringify(name)}`, inputs, this.replicas);
    return inputs.map((own) => this.call(name, own));
  }

  /** Does nothing: the sum over one replica is its own value. */
  reduce(name: string): void {
    if (this.#disposed) throw disposed();
    if (!this.#reductions.includes(name)) throw unknownFunction(name, this.#reductions);
  }

  writeState(values: HostArrays, replica?: number): void {
    if (this.#disposed) throw disposed();
    checkReplica(replica, this.replicas);
    checkState(this.#specs, values);
    for (const [key, array] of Object.entries(values)) {
      this.#state.get(key)?.dispose();
      this.#state.set(key, this.#kept(stateSpec(this.#specs, key), array.slice()));
    }
  }

  writeEach(values: readonly HostArrays[]): void {
    checkEach("writeEach", values, this.replicas);
    for (const own of values) this.writeState(own);
  }

  *writeHalf(name: string, parts: readonly HalfPart[], replica?: number): Generator<undefined> {
    const spec = stateSpec(this.#specs, name);
    checkReplica(replica, this.replicas);
    checkHalf(name, spec, parts);
    yield;
    this.writeState({ [name]: joinedOnHost(spec, parts) });
  }

  *readHalf(name: string, replica = 0, take?: (values: number) => Uint16Array): Generator<HalfPiece> {
    checkReplica(replica, this.replicas);
    checkReadHalf(name, stateSpec(this.#specs, name));
    yield roundedPiece(this.readState([name])[name] as Float32Array, take);
  }

  readEach(names: readonly string[]): Record<string, HostArray>[] {
    return [this.readState(names)];
  }

  readState(names: readonly string[] = Object.keys(this.#specs), replica = 0): Record<string, HostArray> {
    if (this.#disposed) throw disposed();
    checkReplica(replica, this.replicas);
    return Object.fromEntries(
      names.map((name) => {
        stateSpec(this.#specs, name);
        const tensor = this.#state.get(name);
        return [name, tensor === undefined ? new Float32Array() : hostArray(tensor).slice()];
      }),
    );
  }

  outputSpecs(name: string): Readonly<Record<string, TensorSpec>> {
    if (!(name in this.#functions)) throw unknownFunction(name, Object.keys(this.#functions));
    const specs = this.#outputs.get(name);
    if (specs !== undefined) return specs;
    throw new JitError(
      "INVALID_OPTIONS",
      `function ${JSON.stringify(name)} has not been called; in mode eager call it first`,
    );
  }

  get stats(): Readonly<Record<string, FunctionStats>> {
    return Object.fromEntries([...this.#stats].map(([name, recorder]) => [name, recorder.get()]));
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const tensor of this.#state.values()) tensor.dispose();
    this.#state.clear();
  }

  #kept(spec: TensorSpec, values: HostArray): tfjs.Tensor {
    return this.#tf.keep(this.#tf.tensor(values, [...spec.shape], spec.dtype));
  }

  /** Reports an operation that ran out of memory as the other modes do; any other error of a body is rethrown unchanged. */
  #ran<T>(name: string, body: () => T): T {
    try {
      return body();
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      if (cause instanceof JitError || memoryShortage(message, this.#gpu) === undefined) throw cause;
      throw executionError(`function ${JSON.stringify(name)}`, cause, { gpu: this.#gpu });
    }
  }

  /** Checks all new entries before any old one is disposed. */
  #replace(name: string, entries: Readonly<Record<string, tfjs.Tensor>>): void {
    for (const [key, tensor] of Object.entries(entries)) {
      checkStateEntry(name, key, this.#specs[key], { shape: tensor.shape, dtype: tensor.dtype as DType });
    }
    const kept = Object.entries(entries).map(
      ([key, tensor]) => [key, this.#tf.keep(tensor.clone())] as const,
    );
    for (const [key, tensor] of kept) {
      this.#state.get(key)?.dispose();
      this.#state.set(key, tensor);
    }
  }
}

const ARRAYS: Readonly<Record<string, new (values: ArrayLike<number>) => HostArray>> = {
  float32: Float32Array,
  int32: Int32Array,
  bool: Uint8Array,
};

/** Returns a tensor's contents. Some of tfjs's cpu kernels keep values in an array of another type than the tensor's. */
function hostArray(tensor: tfjs.Tensor): HostArray {
  const values = tensor.dataSync();
  const ArrayType = ARRAYS[tensor.dtype];
  if (ArrayType === undefined || values instanceof ArrayType) return values as HostArray;
  return new ArrayType(values);
}
