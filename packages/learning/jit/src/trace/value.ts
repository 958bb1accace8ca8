import type { AttributeProto } from "../base/graph-protos.js";
import type { HostArray } from "../base/spec.js";
import { BFLOAT16, dtypeOf, type OpAttribute } from "../base/tensorflow-binding.js";

/* The elements of a trace: values without contents, the operations that compute them, and the scopes that contain those. */

export type Origin =
  | { readonly kind: "constant"; readonly values: HostArray }
  | { readonly kind: "state" | "input"; readonly name: string }
  /** An argument of a loop's body or of a called body; without an index if the loop's gradient added it. */
  | { readonly kind: "argument"; readonly index?: number }
  | { readonly kind: "operation"; readonly operation: Operation; readonly output: number };

/** One tensor of a trace: shape and type without contents. */
export interface Value {
  readonly shape: readonly number[];
  /** TensorFlow's DataType number. */
  readonly dtype: number;
  readonly origin: Origin;
  readonly scope: Scope;
}

/**
 * A loop over stacked tensors; see scan.ts. Its operation's inputs are carry, xs, captures in this order. Two loops may
 * share a body: an argument of the second may be a value that an operation of the body computes in the first.
 */
export interface Loop {
  readonly length: number;
  readonly reverse: boolean;
  readonly body: Scope;
  readonly carryArguments: readonly Value[];
  readonly sliceArguments: readonly Value[];
  readonly captures: readonly Value[];
  readonly carryResults: readonly Value[];
  readonly sliceResults: readonly Value[];
}

/** A body that operations call; see callable.ts. It uses only its arguments and constants. */
export interface Callee {
  readonly body: Scope;
  readonly arguments: readonly Value[];
  readonly results: readonly Value[];
}

export interface Operation {
  readonly name: string;
  readonly attributes: readonly OpAttribute[];
  /** Attributes that only a graph's node can have. */
  readonly nodeAttributes?: Readonly<Record<string, AttributeProto>>;
  readonly inputs: readonly Value[];
  readonly outputs: Value[];
  readonly loop?: Loop;
  readonly callee?: Callee;
  /** Operations with the same number are worth fusing into one loop over memory; see fuse.ts. */
  readonly fusion?: number;
  /** A product of values stored in float32 keeps full precision; see wide-products.ts. */
  readonly wide?: boolean;
}

/** The operations of one function or of one loop body. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly operations: Operation[] = [];
  readonly captures = new Set<Value>();
  /** Values that were cast in this scope, by the target type. */
  readonly casts = new Map<Value, Map<number, Value>>();

  constructor(parent?: Scope) {
    this.parent = parent;
  }
}

/** Returns whether all values are equal, so that they are emitted as a Fill. */
export function isUniform(values: HostArray): boolean {
  const [first] = values;
  return values.every((value) => value === first);
}

export function describeValue(value: Value): string {
  const type = value.dtype === BFLOAT16 ? "bfloat16" : dtypeOf(value.dtype);
  const form = `${type}[${value.shape.join(", ")}]`;
  const { origin } = value;
  if (origin.kind === "operation") return `${form} computed by ${origin.operation.name}`;
  if (origin.kind === "argument") return `${form}, a body's argument ${origin.index ?? "for its gradient"}`;
  if (origin.kind === "constant") return `${form}, a constant`;
  return `${form}, the ${origin.kind} ${JSON.stringify(origin.name)}`;
}
