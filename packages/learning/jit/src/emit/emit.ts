import { JitError } from "../base/error.js";
import type { AttributeProto, NodeProto } from "../base/graph-protos.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { describeValue, isUniform, type Operation, type Value } from "../trace/value.js";
import type { EmittedStep } from "./adam-step.js";
import { constant, shapeProto, typeOf } from "./attributes.js";
import type { Program } from "./emit-program.js";
import type { Live } from "./liveness.js";

/** Uniform constants of more values than this are emitted as a Fill. */
const MAX_WRITTEN_UNIFORM = 16;

/**
 * Emits the operations of one scope as nodes, either into the main graph or into a function body, where references name the
 * output argument (`node:argument:index`).
 * Not responsible for: which nodes an operation becomes (emit-operations.ts).
 */
export class Emitter {
  readonly program: Program;
  readonly nodes: NodeProto[];
  readonly inFunction: boolean;
  readonly prefix: string;
  readonly #names = new Map<Value, string>();
  /** bfloat16 forms of float32 references, rounded or not. */
  readonly #halves = new Map<string, string>();
  /** References whose values equal their bfloat16 forms. */
  readonly #widened = new Set<string>();
  readonly #writes: { readonly after: readonly Operation[]; readonly inputs: string[] }[] = [];
  /** Results of row writes that may be continued: references to temporary variables [R·T, ...]. */
  readonly temporaries = new Map<Value, string>();
  /** Optimizer steps over variables, in the order of the trace. */
  readonly steps = new Map<Operation, EmittedStep>();
  #count = 0;
  #loops = 0;
  #calls = 0;

  /** @param prefix unique in the graph */
  constructor(program: Program, prefix: string, inFunction: boolean) {
    this.program = program;
    this.prefix = prefix;
    this.inFunction = inFunction;
    this.nodes = inFunction ? [] : program.nodes;
  }

  /** Creates an emitter for the body of a function of the same program. */
  forFunction(name: string): Emitter {
    return new Emitter(this.program, name, true);
  }

  /** Returns a name for the functions of the next loop, which is the same in every process that traces the same function. */
  loopName(): string {
    return `${this.prefix.replaceAll("/", "_")}_loop${this.#loops++}`;
  }

  /** Returns a name for a function that is first called from here, with the same property as `loopName`. */
  callName(): string {
    return `${this.prefix.replaceAll("/", "_")}_call${this.#calls++}`;
  }

  /** Binds a value that is not computed here: a state entry, an input, an argument. */
  bind(value: Value, name: string): void {
    this.#names.set(value, name);
  }

  /** Binds a float32 value to a reference that is stored in bfloat16. */
  bindStored(value: Value, stored: string): void {
    const whole = this.toFloat(stored);
    this.#halves.set(whole, stored);
    this.#widened.add(whole);
    this.bind(value, whole);
  }

  /** The bfloat16 form of a value that is stored in bfloat16; undefined if only a product had it rounded. */
  stored(value: Value): string | undefined {
    const known = this.#names.get(value);
    return known === undefined || !this.#widened.has(known) ? undefined : this.#halves.get(known);
  }

  /** The reference of a value as it is stored, without widening bfloat16. */
  held(value: Value): string {
    return this.stored(value) ?? this.reference(value);
  }

  /** Rounds a float32 reference to bfloat16. */
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

  /** Widens a bfloat16 reference to float32. */
  toFloat(reference: string): string {
    return this.cast(reference, BFLOAT16, DATA_TYPE.float32);
  }

  /** Returns a name for a temporary variable, unique in the graph. */
  temporaryName(): string {
    return `${this.prefix}/temporary_${this.#count++}`;
  }

  /** Adds a node and returns a reference to its first output. */
  node(
    op: string,
    input: readonly string[],
    attr: Readonly<Record<string, AttributeProto>>,
    options: { readonly name?: string; readonly output?: string; readonly device?: string | undefined } = {},
  ): string {
    const local = options.name ?? `${op}_${this.#count++}`;
    const name = this.inFunction ? local : `${this.prefix}/${local}`;
    const { device } = options;
    this.nodes.push({ name, op, input, attr, ...(device === undefined ? {} : { device }) });
    return this.inFunction ? `${name}:${options.output ?? "output"}:0` : name;
  }

  /**
   * Returns what is fed when the graph runs. float32 numbers are fed as the bits of int32 numbers: tfjs's addon copies float32 arrays to
   * the GPU and back before the graph copies them there, but integers stay on the host until then.
   * @param shape any if absent
   * @returns `feed`, the node to feed
   */
  fed(dtype: number, shape?: readonly number[]): { readonly feed: string; readonly value: string } {
    const isFloat = dtype === DATA_TYPE.float32;
    const fedAs = typeOf(isFloat ? DATA_TYPE.int32 : dtype);
    const size = shape === undefined ? {} : { shape: { shape: shapeProto(shape) } };
    const feed = this.node("Placeholder", [], { dtype: fedAs, ...size });
    if (!isFloat) return { feed, value: feed };
    const types = { T: fedAs, type: typeOf(dtype) };
    return { feed, value: this.node("Bitcast", [feed], types, { device: "/device:CPU:0" }) };
  }

  int(values: number | readonly number[]): string {
    const shape = typeof values === "number" ? [] : [values.length];
    const list = typeof values === "number" ? [values] : values;
    return this.node("Const", [], constant(DATA_TYPE.int32, shape, list));
  }

  /** Returns a tensor of one repeated value, which is filled when the graph runs instead of being written out. */
  fill(dtype: number, shape: readonly number[], value: number, waits: readonly string[] = []): string {
    const one = this.node("Const", [], constant(dtype, [], [value]));
    return this.node("Fill", [this.int(shape), one, ...waits], {
      T: typeOf(dtype),
      index_type: typeOf(DATA_TYPE.int32),
    });
  }

  /** The reference through which nodes use this value. */
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

  /** Makes a node that writes in place, given by its inputs, wait for operations that read the old rows. */
  writesAfter(after: readonly Operation[], inputs: string[]): void {
    this.#writes.push({ after, inputs });
  }

  /** Makes every row write in place wait for the readers of the old rows. Call it once all operations are emitted. */
  orderWrites(): void {
    for (const { after, inputs } of this.#writes) {
      for (const { outputs } of after) {
        const [node] = outputs.slice(0, 1).map((output) => this.held(output).split(":")[0]);
        if (node !== undefined) inputs.push(`^${node}`);
      }
    }
  }

  /**
   * Binds an operation's outputs, given its node's reference and its output arguments' names. Values that are already bound,
   * such as those kept from a forward pass, stay as they are.
   */
  results(reference: string, outputs: readonly Value[], names: readonly string[], list: boolean): void {
    this.references(reference, outputs.length, names, list).forEach((of, index) => {
      const output = outputs[index];
      if (output !== undefined && !this.#names.has(output)) this.bind(output, of);
    });
  }

  /** Returns references to a node's outputs. */
  references(reference: string, count: number, names: readonly string[], list: boolean): string[] {
    const [node = reference] = this.inFunction ? reference.split(":") : [reference];
    return Array.from({ length: count }, (_, index) => {
      if (!this.inFunction) return index === 0 ? node : `${node}:${index}`;
      return list ? `${node}:${names[0]}:${index}` : `${node}:${names[index]}:0`;
    });
  }
}

/** Emits the operations of a scope that are in `live`, in the order of the trace; loops and calls emit their bodies with it. */
export type WriteOperations = (emitter: Emitter, operations: readonly Operation[], live: Live) => void;
