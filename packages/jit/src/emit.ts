import { attributeProto, constant, text, typeOf } from "./attributes.js";
import { type AdamStep, type EmittedStep, emitAdamComposed, emitAdamStep } from "./emit-adam.js";
import { emitLoop } from "./emit-loop.js";
import { emitTurnPairs } from "./emit-turn-pairs.js";
import { JitError } from "./error.js";
import type { InPlaceWrite } from "./memory.js";
import type { AttributeProto, FunctionProto, NodeProto } from "./saved-model.js";
import { ADAM, opRules, SCATTER_ROWS, TURN_PAIRS } from "./shape-inference/rules.js";
import { sizeOf } from "./spec.js";
import { BFLOAT16, DATA_TYPE, nodeBackend } from "./tensorflow-binding.js";
import { describeValue, isUniform, type Operation, type Value } from "./value.js";

/** Uniform constants of more values than this are written as a Fill. */
const MAX_WRITTEN_UNIFORM = 16;

/** Passes over fewer values cost less than a call of what XLA compiled gains. */
const SMALLEST_FUSED = 2 ** 20;

/** XLA's own version of this operation gives other numbers: it stays outside of compiled clusters. */
const NATIVE_RANDOM = "StatelessRandomUniform";

/** Operations that move numbers without changing them, and the attribute that holds their first input's type. */
const MOVING: Readonly<Record<string, string>> = {
  ExpandDims: "T",
  GatherV2: "Tparams",
  Reshape: "T",
  Slice: "T",
  SplitV: "T",
  Transpose: "T",
  Unpack: "T",
};

/** What a graph's parts share while they are written. */
export interface Program {
  readonly nodes: NodeProto[];
  readonly functions: FunctionProto[];
  readonly xla: boolean;
  /** Matrix products take their inputs in bfloat16. */
  readonly halfProducts: boolean;
  /** State entries that are stored in bfloat16. */
  readonly halves: ReadonlySet<string>;
  /** Operations that write rows into a variable in place. */
  readonly inPlace: ReadonlyMap<Operation, InPlaceWrite>;
  /** Optimiser steps that go into variables. */
  readonly adamSteps: ReadonlyMap<Operation, AdamStep>;
  /** Node of each state entry's variable. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Writes the operations of one scope as nodes: into the main graph, or into a function body, where references name the
 * output argument (`node:argument:index`).
 */
export class Emitter {
  readonly program: Program;
  readonly nodes: NodeProto[];
  readonly inFunction: boolean;
  readonly prefix: string;
  readonly #names = new Map<Value, string>();
  readonly #extra: Readonly<Record<string, AttributeProto>>;
  /** bfloat16 forms of float32 references. */
  readonly #halves = new Map<string, string>();
  readonly #writes: { readonly after: readonly Operation[]; readonly inputs: string[] }[] = [];
  /** Optimiser steps over variables, in the order of the trace. */
  readonly steps = new Map<Operation, EmittedStep>();
  #count = 0;

  /** @param prefix unique in the graph; it also is the XLA scope of nodes in the main graph. */
  constructor(program: Program, prefix: string, inFunction: boolean) {
    this.program = program;
    this.prefix = prefix;
    this.inFunction = inFunction;
    this.nodes = inFunction ? [] : program.nodes;
    this.#extra =
      program.xla && !inFunction ? { _XlaCompile: { b: true }, _XlaScope: text(`palimpsest_${prefix}`) } : {};
  }

  /** One for the body of a function of the same program. */
  forFunction(name: string): Emitter {
    return new Emitter(this.program, name, true);
  }

  /** Binds a value that is not computed here: a state entry, an input, an argument. */
  bind(value: Value, name: string): void {
    this.#names.set(value, name);
  }

  /** Binds a float32 value to what is stored in bfloat16. */
  bindStored(value: Value, stored: string): void {
    const whole = this.#toFloat(stored);
    this.#halves.set(whole, stored);
    this.bind(value, whole);
  }

  /** The bfloat16 form of a value, where it is stored in one. */
  stored(value: Value): string | undefined {
    const known = this.#names.get(value);
    return known === undefined ? undefined : this.#halves.get(known);
  }

  /** A float32 reference rounded to bfloat16. */
  half(reference: string): string {
    const known = this.#halves.get(reference);
    if (known !== undefined) return known;
    const rounded = this.cast(reference, DATA_TYPE.float32, BFLOAT16);
    this.#halves.set(reference, rounded);
    return rounded;
  }

  cast(reference: string, from: number, to: number): string {
    const attr = { SrcT: typeOf(from), DstT: typeOf(to), Truncate: { b: false } };
    return this.node("Cast", [reference], attr, { output: "y" });
  }

  #toFloat(reference: string): string {
    return this.cast(reference, BFLOAT16, DATA_TYPE.float32);
  }

  /** Adds a node and returns a reference to its first output. */
  node(
    op: string,
    input: readonly string[],
    attr: Readonly<Record<string, AttributeProto>>,
    options: { readonly name?: string; readonly output?: string; readonly compiled?: boolean } = {},
  ): string {
    const local = options.name ?? `${op}_${this.#count++}`;
    const name = this.inFunction ? local : `${this.prefix}/${local}`;
    this.nodes.push({
      name,
      op,
      input,
      attr: options.compiled === false ? attr : { ...attr, ...this.#extra },
    });
    return this.inFunction ? `${name}:${options.output ?? "output"}:0` : name;
  }

  int(values: number | readonly number[]): string {
    const shape = typeof values === "number" ? [] : [values.length];
    const list = typeof values === "number" ? [values] : values;
    return this.node("Const", [], constant(DATA_TYPE.int32, shape, list));
  }

  /** A tensor of one value, made when the graph runs instead of being written out. */
  fill(dtype: number, shape: readonly number[], value: number, waits: readonly string[] = []): string {
    const one = this.node("Const", [], constant(dtype, [], [value]));
    return this.node("Fill", [this.int(shape), one, ...waits], {
      T: typeOf(dtype),
      index_type: typeOf(DATA_TYPE.int32),
    });
  }

  /** The reference by which nodes take this value. */
  reference(value: Value): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    if (value.origin.kind !== "constant") {
      throw new JitError("TENSOR_OUT_OF_SCOPE", `${describeValue(value)} is used before it is computed`);
    }
    const { values } = value.origin;
    const [first = 0] = values;
    const written =
      value.shape.length > 0 && values.length > MAX_WRITTEN_UNIFORM && isUniform(values)
        ? this.fill(value.dtype, value.shape, first)
        : this.node("Const", [], constant(value.dtype, value.shape, values));
    this.#names.set(value, written);
    return written;
  }

  /** Writes the operations that are in `live`, in the order of the trace. */
  operations(operations: readonly Operation[], live: ReadonlySet<Operation>): void {
    for (const operation of operations) {
      if (!live.has(operation)) continue;
      if (operation.loop !== undefined) emitLoop(this, operation, operation.loop, live);
      else if (operation.name === ADAM) this.#adam(operation);
      else if (operation.name === TURN_PAIRS) emitTurnPairs(this, operation);
      else if (!this.#rows(operation)) this.#operation(operation);
    }
  }

  /** Lets every row write in place wait for the readers of the old rows. Call once all operations are written. */
  orderWrites(): void {
    for (const { after, inputs } of this.#writes) {
      for (const { outputs } of after) {
        const [node] = outputs.slice(0, 1).map((output) => this.reference(output).split(":")[0]);
        if (node !== undefined) inputs.push(`^${node}`);
      }
    }
  }

  #operation(operation: Operation): void {
    const { name, inputs, outputs } = operation;
    const rule = opRules[name];
    if (rule === undefined) throw new JitError("NO_SHAPE_INFERENCE", `operation ${name} cannot be written`);
    const binding = nodeBackend().binding;
    const attr: Record<string, AttributeProto> = {};
    for (const attribute of operation.attributes) {
      attr[attribute.name] = attributeProto(binding, attribute);
    }
    for (const [type, position] of Object.entries(rule.types ?? {})) {
      const input = inputs.at(position);
      if (input !== undefined) attr[type] ??= typeOf(input.dtype);
    }
    if (name === "AddN" || name === "Pack") attr["N"] ??= { i: inputs.length };
    const references = inputs.map((input) => this.reference(input));
    if (this.#moveStored(operation, references, attr)) return;
    const compiled = name !== NATIVE_RANDOM;
    if (!compiled && this.program.xla && this.inFunction) {
      throw new JitError(
        "INVALID_OPTIONS",
        "randomUniform inside a scan has no XLA form with the same numbers; draw before the loop and pass slices as xs",
      );
    }
    const [kernel, attributes] = name === "BatchMatMulV2" ? productKernel(inputs, attr) : [name, attr];
    const [output] = outputs;
    if (kernel === "BatchMatMulV2" && output !== undefined && this.#isOfSingleRows(inputs, attr)) {
      const { T: _, ...flags } = attr;
      const types = { Ta: typeOf(output.dtype), Tb: typeOf(output.dtype), Tout: typeOf(output.dtype) };
      this.bind(output, this.node("BatchMatMulV3", references, { ...flags, ...types }, { output: "output" }));
      return;
    }
    if ((kernel === "MatMul" || kernel === "BatchMatMulV2") && output !== undefined) {
      const argument = { output: kernel === "MatMul" ? "product" : "output" };
      const halved = this.program.halfProducts && output.dtype === DATA_TYPE.float32;
      const factors = halved ? references.map((reference) => this.half(reference)) : references;
      const types = halved ? { T: typeOf(BFLOAT16) } : {};
      const product = this.node(kernel, factors, { ...attributes, ...types }, argument);
      this.bind(output, halved ? this.#toFloat(product) : product);
      return;
    }
    const reference = this.node(name, references, { ...attr, ...this.#fused(operation) }, { compiled });
    this.results(reference, outputs, rule.outputs, rule.list === true);
  }

  /**
   * Many products of one row and a matrix each, on a CPU: there V3's kernel, which TensorFlow does not rewrite to oneDNN,
   * takes a quarter to a third less time.
   */
  #isOfSingleRows([left]: readonly Value[], attr: Readonly<Record<string, AttributeProto>>): boolean {
    if (this.program.xla || this.program.halfProducts || nodeBackend().binding.isUsingGpuDevice())
      return false;
    return (
      left !== undefined &&
      left.dtype === DATA_TYPE.float32 &&
      left.shape.at(-2) === 1 &&
      attr["adj_x"]?.b !== true
    );
  }

  /** XLA's mark on large operations of one fusion; loops are left alone, and a compiled graph is marked as a whole. */
  #fused({ fusion, outputs: [output] }: Operation): Readonly<Record<string, AttributeProto>> {
    if (fusion === undefined || this.inFunction || this.program.xla) return {};
    if (output === undefined || sizeOf(output.shape) < SMALLEST_FUSED) return {};
    return { _XlaCompile: { b: true }, _XlaScope: text(`palimpsest_${this.prefix}_fusion_${fusion}`) };
  }

  /** Moves what is stored in bfloat16 as it is, so that no float32 copy of the whole is made. */
  #moveStored(
    { name, inputs, outputs }: Operation,
    references: readonly string[],
    attr: Readonly<Record<string, AttributeProto>>,
  ): boolean {
    const type = MOVING[name];
    const [source] = inputs;
    const stored = type === undefined || source === undefined ? undefined : this.stored(source);
    const rule = opRules[name];
    if (type === undefined || stored === undefined || rule === undefined) return false;
    const moved = this.node(name, [stored, ...references.slice(1)], { ...attr, [type]: typeOf(BFLOAT16) });
    this.#outputs(moved, outputs.length, rule.outputs, rule.list === true).forEach((reference, index) => {
      const output = outputs[index];
      if (output !== undefined) this.bindStored(output, reference);
    });
    return true;
  }

  /** Binds an operation's outputs, given its node's reference and its output arguments' names. */
  results(reference: string, outputs: readonly Value[], names: readonly string[], list: boolean): void {
    this.#outputs(reference, outputs.length, names, list).forEach((of, index) => {
      const output = outputs[index];
      if (output !== undefined) this.bind(output, of);
    });
  }

  /** References of a node's outputs. */
  #outputs(reference: string, count: number, names: readonly string[], list: boolean): string[] {
    const [node = reference] = this.inFunction ? reference.split(":") : [reference];
    return Array.from({ length: count }, (_, index) => {
      if (!this.inFunction) return index === 0 ? node : `${node}:${index}`;
      return list ? `${node}:${names[0]}:${index}` : `${node}:${names[index]}:0`;
    });
  }

  #adam(operation: Operation): void {
    const step = this.program.adamSteps.get(operation);
    if (step === undefined) {
      emitAdamComposed(this, operation);
      return;
    }
    const variable = (name: string): string => this.program.variables.get(name) ?? "";
    const { weights, moment1, moment2 } = step;
    const gradient = operation.inputs[3];
    const held = gradient?.origin.kind === "state" ? variable(gradient.origin.name) : undefined;
    const variables = [variable(weights), variable(moment1), variable(moment2)] as const;
    this.steps.set(operation, emitAdamStep(this, operation, variables, held));
  }

  /** A row write (see scatter-rows.ts): into the variable where that was found safe, into a copy elsewhere. */
  #rows(operation: Operation): boolean {
    const [target, indices, values, flat] = operation.inputs;
    const [output] = operation.outputs;
    if (operation.name !== SCATTER_ROWS || !target || !indices || !values || !flat || !output) return false;
    const T = typeOf(target.dtype);
    const int = typeOf(DATA_TYPE.int32);
    const write = this.program.inPlace.get(operation);
    const stored = this.stored(target);
    if (write === undefined && stored !== undefined) {
      const inputs = [stored, this.reference(indices), this.half(this.reference(values))];
      const types = { T: typeOf(BFLOAT16), Tindices: int };
      this.bindStored(output, this.node("TensorScatterUpdate", inputs, types));
      return true;
    }
    if (write === undefined) {
      const inputs = [target, indices, values].map((value) => this.reference(value));
      this.bind(output, this.node("TensorScatterUpdate", inputs, { T, Tindices: int }));
      return true;
    }
    const [rows = 1, columns = 1, ...rest] = target.shape;
    const reshape = (reference: string, shape: readonly number[]) =>
      this.node("Reshape", [reference, this.int(shape)], { T, Tshape: int });
    const list = reshape(this.reference(target), [rows * columns, ...rest]);
    const inputs = [list, this.reference(flat), this.reference(values)];
    this.#writes.push({ after: write.after, inputs });
    const written = this.node("InplaceUpdate", inputs, { T });
    this.bind(output, reshape(written, target.shape));
    return true;
  }
}

/** A product of two matrices goes to the kernel for just that, which is faster by a few percent on CPU. */
function productKernel(
  inputs: readonly Value[],
  attr: Readonly<Record<string, AttributeProto>>,
): [string, Readonly<Record<string, AttributeProto>>] {
  if (inputs.some(({ shape }) => shape.length !== 2)) return ["BatchMatMulV2", attr];
  const { adj_x, adj_y, ...rest } = attr;
  const flag = (value: AttributeProto | undefined) => value ?? { b: false };
  return ["MatMul", { ...rest, transpose_a: flag(adj_x), transpose_b: flag(adj_y) }];
}

/** The operations that the given values need, those inside loops included. */
export function liveOperations(values: Iterable<Value>): Set<Operation> {
  const live = new Set<Operation>();
  const pending = [...values];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (value.origin.kind !== "operation" || live.has(value.origin.operation)) continue;
    const { operation } = value.origin;
    live.add(operation);
    pending.push(...operation.inputs);
    if (operation.loop !== undefined)
      pending.push(...operation.loop.carryResults, ...operation.loop.sliceResults);
  }
  return live;
}
