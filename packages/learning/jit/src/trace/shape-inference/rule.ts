import { JitError } from "../../base/error.js";
import type { HostArray } from "../../base/spec.js";
import type { OpAttribute } from "../../base/tensorflow-binding.js";

/** What shape inference knows about an operation's input: `values` are present only for constants. */
export interface RuleInput {
  readonly shape: readonly number[];
  /** TensorFlow's DataType number. */
  readonly dtype: number;
  readonly values?: HostArray;
}

export interface RuleOutput {
  readonly shape: readonly number[];
  readonly dtype: number;
}

/** How one TensorFlow operation is traced. */
export interface OpRule {
  infer(inputs: readonly RuleInput[], attributes: Attributes): RuleOutput[];
  /** The output arguments' names in TensorFlow's OpDef: function bodies refer to `node:argument:index`. */
  readonly outputs: readonly string[];
  /** Whether the single output argument is a list, so that outputs are `argument:0`, `argument:1`, … */
  readonly list?: boolean;
  /** Type attributes that eager execution infers from an input and a graph does not: name → input position. */
  readonly types?: Readonly<Record<string, number>>;
  /**
   * Positions of inputs that must have the same type: bfloat16 and float32 are cast to one type by `promotedType`. Negative
   * ones count from the end; "all but last": the last one is an axis.
   */
  readonly oneType?: readonly number[] | "all" | "all but last";
  /** Whether it is a matrix product: if one factor is bfloat16, both are. */
  readonly isProduct?: boolean;
  /**
   * Which part of an input's memory the output may share: "input", the whole of one of equal size; "part", a piece of the
   * first. It decides where rows may be written in place (memory.ts); a needless "input" costs a copy, a missing one gives
   * wrong results. Absent: the output always has its own memory.
   */
  readonly shares?: "input" | "part";
}

/** An operation's attributes by name, with the operation's name for messages. */
export class Attributes {
  readonly #byName: ReadonlyMap<string, unknown>;
  readonly operation: string;

  constructor(operation: string, attributes: readonly OpAttribute[]) {
    this.operation = operation;
    this.#byName = new Map(attributes.map((attribute) => [attribute.name, attribute.value]));
  }

  number(name: string, fallback?: number): number {
    const value = this.#byName.get(name) ?? fallback;
    if (typeof value !== "number") throw this.#missing(name);
    return value;
  }

  boolean(name: string): boolean {
    return this.#byName.get(name) === true;
  }

  #missing(name: string): JitError {
    return new JitError(
      "NO_SHAPE_INFERENCE",
      `${this.operation} has no attribute ${name}; shapes depend on it`,
    );
  }
}

/** The operation's input at a position; operations with the wrong number of inputs stop here. */
export function inputAt(inputs: readonly RuleInput[], position: number, operation: string): RuleInput {
  const input = inputs.at(position);
  if (input !== undefined) return input;
  throw new JitError("NO_SHAPE_INFERENCE", `${operation} has ${inputs.length} inputs, none at ${position}`);
}

/** Returns the values of an input that determines a shape, which has to be a constant of the trace. */
export function constantAt(inputs: readonly RuleInput[], position: number, operation: string): number[] {
  const { values } = inputAt(inputs, position, operation);
  if (values !== undefined) return Array.from(values);
  throw new JitError(
    "NO_SHAPE_INFERENCE",
    `the shape of ${operation} depends on input ${position}, which is computed in the trace; shapes are static, ` +
      "so give it as a plain number or array",
  );
}

export function axisOf(axis: number, rank: number): number {
  return axis < 0 ? axis + rank : axis;
}

/** NumPy broadcasting of two shapes. */
export function broadcast(a: readonly number[], b: readonly number[], operation: string): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, position) => {
    const x = a[a.length - rank + position] ?? 1;
    const y = b[b.length - rank + position] ?? 1;
    if (x !== y && x !== 1 && y !== 1) {
      throw new JitError(
        "SHAPE_MISMATCH",
        `${operation} of [${a.join(", ")}] and [${b.join(", ")}]: they do not broadcast`,
      );
    }
    return x === 1 ? y : x;
  });
}

/** Adds to rules, by name, which memory of the inputs their outputs share. */
export function sharing(
  rules: Readonly<Record<string, OpRule>>,
  shares: NonNullable<OpRule["shares"]>,
  names: readonly string[],
): Record<string, OpRule> {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, names.includes(name) ? { ...rule, shares } : rule]),
  );
}
