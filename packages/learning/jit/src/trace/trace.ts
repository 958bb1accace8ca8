import { JitError } from "../base/error.js";
import type { HostArray } from "../base/spec.js";
import {
  DATA_TYPE,
  type NodeBackend,
  type OpAttribute,
  type TensorflowBinding,
  type TensorMetadata,
  tfjsType,
} from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { promotedType, sameTypePositions } from "./promotion.js";
import { Attributes, opRules, type RuleInput, type RuleOutput } from "./shape-inference/rules.js";
import { describeValue, isUniform, type Operation, type Origin, Scope, type Value } from "./value.js";

/*
 * Responsibility: runs a tfjs function on shapes alone and records what it would have computed as a list of operations.
 * Not responsible for: running anything (graph-module.ts) or writing a graph (emit.ts).
 *
 * JIT-TRACE-1. Nothing is computed while tracing; a read of a computed value on the host is an error that names it.
 * JIT-TRACE-2. A tensor from outside the trace is a constant of it, and is left unchanged.
 * JIT-TRACE-3. A value is used in the scope that made it or in a nested one; using it in a nested one records a capture.
 * JIT-TRACE-4. Afterwards the backend is as it was before, whether the traced function returns or throws.
 */

/** Trace ids are above every id that the addon assigns (int32). */
const FIRST_TRACE_ID = 2 ** 40;
/** Larger constants are passed to a loop body as arguments instead of being emitted again inside. */
const MAX_REPEATED_VALUES = 4096;

let nextId = FIRST_TRACE_ID;
let current: Trace | undefined;

export function isTraceId(id: number): boolean {
  return id >= FIRST_TRACE_ID;
}

export function currentTrace(): Trace | undefined {
  return current;
}

/** What the graph under construction may contain. */
export interface TraceTarget {
  /** Whether attention may be a call of cuDNN. */
  readonly fusedAttention: boolean;
  /** Whether a repeated part may be a called function: XLA inlines the calls, TensorFlow's own passes would not. */
  readonly calls: boolean;
  /** What sums segments in place of TensorFlow's operation, of which a GPU adds the rows in any order. */
  readonly segmentSum?: ((data: tf.Tensor, ids: tf.Tensor, count: number) => tf.Tensor) | undefined;
}

export class Trace {
  readonly label: string;
  readonly target: TraceTarget;
  readonly root = new Scope();
  #scope = this.root;
  #fusion: number | undefined;
  #fusions = 0;
  #wide = false;
  readonly #byId = new Map<number, Value>();
  readonly #ids = new Map<Value, number>();
  readonly #constants = new WeakMap<object, number>();
  readonly #outside = new Map<number, number>();
  readonly #backend: NodeBackend;
  readonly #real: TensorflowBinding;

  constructor(
    label: string,
    backend: NodeBackend,
    target: TraceTarget = { fusedAttention: false, calls: false },
  ) {
    this.label = label;
    this.target = target;
    this.#backend = backend;
    this.#real = backend.binding;
  }

  get scope(): Scope {
    return this.#scope;
  }

  /** Runs `body` with this trace in place of the addon. */
  run<T>(body: () => T): T {
    const backend = this.#backend;
    const getInputTensorIds = backend.getInputTensorIds;
    const outer = current;
    if (outer !== undefined) {
      throw new JitError(
        "INVALID_OPTIONS",
        `${this.label} is traced while ${outer.label} is traced; call jit outside of traced functions`,
      );
    }
    backend.binding = this.#binding();
    backend.getInputTensorIds = (tensors) => tensors.map((tensor) => this.#idOf(tensor));
    current = this;
    let result: T | undefined;
    try {
      tf.tidy(() => {
        result = body();
      });
      return result as T;
    } finally {
      current = undefined;
      backend.binding = this.#real;
      backend.getInputTensorIds = getInputTensorIds;
    }
  }

  /** Runs `body` with its operations recorded in a new scope, nested in the current one. */
  inner<T>(body: () => T): { readonly scope: Scope; readonly result: T } {
    const outer = this.#scope;
    const scope = new Scope(outer);
    this.#scope = scope;
    try {
      return { scope, result: body() };
    } finally {
      this.#scope = outer;
    }
  }

  /** Runs `body` with its operations recorded in a scope that cannot use values of the others. */
  apart<T>(body: () => T): { readonly scope: Scope; readonly result: T } {
    const scope = new Scope();
    return { scope, result: this.innerOf(scope, body) };
  }

  /** Runs `body` with its operations recorded in an existing scope. */
  innerOf<T>(scope: Scope, body: () => T): T {
    const outer = this.#scope;
    this.#scope = scope;
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }

  /** Runs `body` with its operations marked as one fusion; a nested one joins the outer. */
  fuse<T>(body: () => T): T {
    if (this.#fusion !== undefined) return body();
    this.#fusion = this.#fusions++;
    try {
      return body();
    } finally {
      this.#fusion = undefined;
    }
  }

  /** Runs `body` with its operations marked as wide. */
  wideProducts<T>(body: () => T): T {
    const outer = this.#wide;
    this.#wide = true;
    try {
      return body();
    } finally {
      this.#wide = outer;
    }
  }

  /** Returns the tensor in another floating-point type; the same tensor if it already has it. */
  cast(tensor: tf.Tensor, dtype: number): tf.Tensor {
    const value = this.valueOf(tensor);
    return value.dtype === dtype ? tensor : this.tensorOf(this.#cast(value, dtype));
  }

  /** Returns a new tensor of a value that is visible in the current scope. */
  tensorOf(value: Value): tf.Tensor {
    return this.#tensor(this.#idOfValue(value));
  }

  /** Returns a new tensor for a value from outside: a state entry, an input, a loop argument. */
  placeholder(shape: readonly number[], dtype: number, origin: Origin): tf.Tensor {
    return this.#tensor(this.#add({ shape, dtype, origin, scope: this.#scope }));
  }

  /** Returns the value of a tensor as it is visible in the current scope. */
  valueOf(tensor: tf.TensorInfo): Value {
    return this.#resolve(this.#idOf(tensor));
  }

  /** Records an operation whose output shapes are known. */
  record(operation: Omit<Operation, "outputs">, outputs: readonly RuleOutput[]): tf.Tensor[] {
    return this.#record(operation, outputs).map((id) => this.#tensor(id));
  }

  #tensor(id: number): tf.Tensor {
    const { shape, dtype } = this.#resolve(id);
    return this.#backend.createOutputTensor({ id, shape: [...shape], dtype: tfjsType(dtype) });
  }

  #idOfValue(value: Value): number {
    const known = this.#ids.get(value);
    if (known === undefined)
      throw this.#outOfScope(`${describeValue(value)}, which belongs to another trace,`);
    return known;
  }

  /** Casts once per scope: what is rounded outside a loop is not rounded again for every use. */
  #cast(value: Value, dtype: number): Value {
    const known = this.#scope.casts.get(value)?.get(dtype);
    if (known !== undefined) return known;
    const type = (name: string, number: number): OpAttribute => ({
      name,
      type: this.#real.TF_ATTR_TYPE,
      value: number,
    });
    const attributes = [type("SrcT", value.dtype), type("DstT", dtype)];
    const [id] = this.#record({ name: "Cast", attributes, inputs: [value] }, [{ shape: value.shape, dtype }]);
    const cast = this.#byId.get(id ?? -1);
    if (cast === undefined) throw new JitError("EXECUTION_FAILED", "a cast recorded no output");
    const casts = this.#scope.casts.get(value) ?? new Map<number, Value>();
    this.#scope.casts.set(value, casts.set(dtype, cast));
    return cast;
  }

  #add(value: Value): number {
    const id = nextId++;
    this.#byId.set(id, value);
    this.#ids.set(value, id);
    return id;
  }

  #constant(shape: readonly number[], dtype: number, values: HostArray): number {
    return this.#add({ shape: [...shape], dtype, origin: { kind: "constant", values }, scope: this.root });
  }

  #record(operation: Omit<Operation, "outputs">, outputs: readonly RuleOutput[]): number[] {
    const fusion = this.#fusion === undefined ? {} : { fusion: this.#fusion };
    const wide = this.#wide ? { wide: true } : {};
    const recorded: Operation = { ...operation, ...fusion, ...wide, outputs: [] };
    const scope = this.#scope;
    scope.operations.push(recorded);
    return outputs.map(({ shape, dtype }, output) => {
      const id = this.#add({
        shape,
        dtype,
        origin: { kind: "operation", operation: recorded, output },
        scope,
      });
      const value = this.#byId.get(id);
      if (value !== undefined) recorded.outputs.push(value);
      return id;
    });
  }

  /** JIT-TRACE-2: values that are still on the host become constants without being sent to the addon. */
  #idOf(tensor: tf.TensorInfo): number {
    const entry = this.#backend.tensorMap.get(tensor.dataId);
    if (entry.values === null) return entry.id;
    const known = this.#constants.get(tensor.dataId);
    if (known !== undefined) return known;
    const id = this.#constant(entry.shape, entry.dtype, entry.values);
    this.#constants.set(tensor.dataId, id);
    return id;
  }

  #resolve(id: number): Value {
    const value = this.#byId.get(isTraceId(id) ? id : this.#fromOutside(id));
    if (value === undefined) throw this.#outOfScope("a tensor of another trace");
    if (value.origin.kind === "constant") {
      const { values } = value.origin;
      if (values.length <= MAX_REPEATED_VALUES || isUniform(values)) return value;
    }
    for (let scope = this.#scope; scope !== value.scope; ) {
      scope.captures.add(value);
      if (scope.parent === undefined)
        throw this.#outOfScope(`${describeValue(value)}, made inside a loop body,`);
      scope = scope.parent;
    }
    return value;
  }

  #outOfScope(what: string): JitError {
    return new JitError(
      "TENSOR_OUT_OF_SCOPE",
      `${what} was used while tracing ${this.label}; pass it as a carry or return it as a result`,
    );
  }

  /** Converts a tensor of the addon to a constant with its contents. */
  #fromOutside(id: number): number {
    const known = this.#outside.get(id);
    if (known !== undefined) return known;
    const [copy] = this.#real.executeOp(
      "Shape",
      [{ name: "T", type: this.#real.TF_ATTR_TYPE, value: this.#dtypeOutside(id) }],
      [id],
      1,
    );
    if (copy === undefined) throw this.#outOfScope("a tensor without a shape");
    const shape = Array.from(this.#real.tensorDataSync(copy.id));
    this.#real.deleteTensor(copy.id);
    const constant = this.#constant(shape, this.#dtypeOutside(id), this.#real.tensorDataSync(id));
    this.#outside.set(id, constant);
    return constant;
  }

  #dtypeOutside(id: number): number {
    const values = this.#real.tensorDataSync(id);
    if (values instanceof Float32Array) return DATA_TYPE.float32;
    return values instanceof Int32Array ? DATA_TYPE.int32 : DATA_TYPE.bool;
  }

  #execute(name: string, attributes: OpAttribute[], inputIds: number[]): TensorMetadata[] {
    const rule = opRules[name];
    if (rule === undefined) {
      throw new JitError(
        "NO_SHAPE_INFERENCE",
        `operation ${name} cannot be traced (in ${this.label}): add its rule under shape-inference and a case to the ` +
          "conformance table, or run with mode eager",
      );
    }
    const inputs = inputIds.map((id) => this.#resolve(id));
    const together = sameTypePositions(rule, inputs.length);
    const wanted = promotedType(
      rule,
      together.flatMap((position) => inputs[position] ?? []),
    );
    for (const position of together) {
      const input = inputs[position];
      if (wanted === undefined || input === undefined || input.dtype === wanted) continue;
      inputs[position] = this.#cast(input, wanted);
    }
    const outputs = rule.infer(inputs.map(ruleInput), new Attributes(name, attributes));
    const ids = this.#record({ name, attributes: attributes.map((a) => ({ ...a })), inputs }, outputs);
    return ids.map((id, index) => {
      const { shape = [], dtype = 0 } = outputs[index] ?? {};
      return { id, shape: [...shape], dtype: tfjsType(dtype) };
    });
  }

  #binding(): TensorflowBinding {
    const real = this.#real;
    const refuse = (what: string) => (): never => {
      throw new JitError("HOST_READ_WHILE_TRACING", `${what} was called while tracing ${this.label}`);
    };
    return {
      ...real,
      createTensor: (shape, dtype, values) => this.#constant(shape, dtype, values),
      deleteTensor: (id) => {
        if (!isTraceId(id)) real.deleteTensor(id);
      },
      executeOp: (name, attributes, inputIds) => this.#execute(name, attributes, inputIds),
      tensorDataSync: (id) => {
        if (!isTraceId(id)) return real.tensorDataSync(id);
        const value = this.#resolve(id);
        if (value.origin.kind === "constant") return value.origin.values;
        throw new JitError(
          "HOST_READ_WHILE_TRACING",
          `the value of ${describeValue(value)} was read (dataSync, arraySync, print, a check of values) while tracing ` +
            `${this.label}; compute with tensors, or pass values that are known beforehand as numbers`,
        );
      },
      loadSavedModel: refuse("loadSavedModel"),
      runSavedModel: refuse("runSavedModel"),
      deleteSavedModel: (id) => real.deleteSavedModel(id),
    };
  }
}

function ruleInput(value: Value): RuleInput {
  const { shape, dtype, origin } = value;
  return origin.kind === "constant" ? { shape, dtype, values: origin.values } : { shape, dtype };
}
