import type * as tf from "@tensorflow/tfjs-core";
import { JitError } from "../base/error.js";
import { sizeOf, type TensorSpec } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE, dtypeOf, nodeBackend } from "../base/tensorflow-binding.js";
import type { JitShards } from "./jit-function.js";
import { Trace, type TraceTarget } from "./trace.js";
import type { Scope, Value } from "./value.js";

/** A function as operations: what it reads, what it returns, what it changes. */
export interface TracedFunction {
  readonly name: string;
  readonly root: Scope;
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly outputs: ReadonlyMap<string, Value>;
  /** The state entries that the function changes. */
  readonly state: ReadonlyMap<string, Value>;
  readonly traceMs: number;
  /** The stage that follows in the same run, given outputs of this one summed over all replicas. */
  readonly next?: {
    readonly sums: readonly string[];
    /** Whether the stage is given every replica's value (`partName`) and adds them itself. */
    readonly byParts: boolean;
    readonly fn: TracedFunction;
  };
  readonly shards?: JitShards;
  /** Types of the inputs that come from launches in another type than float32, which the body sees. */
  readonly passed?: ReadonlyMap<string, number>;
}

/** Name of the input that a sharded entry's whole values are to a launch. */
export function wholeName(entry: string): string {
  return `whole ${entry}`;
}

/** Name of the input that one replica's share of a sum is to a launch. */
export function partName(sum: string, replica: number): string {
  return `part ${replica} of ${sum}`;
}

export type TracedBody = (
  state: Readonly<Record<string, tf.Tensor>>,
  inputs: Readonly<Record<string, tf.Tensor>>,
) => {
  readonly outputs: Readonly<Record<string, tf.Tensor>>;
  readonly state?: Readonly<Record<string, tf.Tensor>>;
};

/** @throws {JitError} SHAPE_MISMATCH if a new state entry has another shape or type than the state. */
export function traceFunction(
  name: string,
  state: Readonly<Record<string, TensorSpec>>,
  inputs: Readonly<Record<string, TensorSpec>>,
  body: TracedBody,
  target?: TraceTarget,
  {
    kept = [],
    replicas = 1,
    ...shards
  }: JitShards & {
    readonly replicas?: number;
    /** Outputs that stay bfloat16 where they are. */
    readonly kept?: readonly string[];
  } = {},
): TracedFunction {
  const started = performance.now();
  const trace = new Trace(`function ${JSON.stringify(name)}`, nodeBackend(), target);
  const outputs = new Map<string, Value>();
  const changed = new Map<string, Value>();
  const exchanged = new Set([...kept, ...(shards.scatter ?? []), ...(shards.gather ?? [])]);
  trace.run(() => {
    const placeholders = (specs: Readonly<Record<string, TensorSpec>>, kind: "state" | "input") =>
      Object.fromEntries(
        Object.entries(specs).map(([key, spec]) => [
          key,
          trace.placeholder(spec.shape, DATA_TYPE[spec.dtype], { kind, name: key }),
        ]),
      );
    // Host arrays and state entries have no bfloat16; an entry that is stored in it is rounded when it is written.
    const whole = (tensor: tf.Tensor): Value => {
      const isHalf = trace.valueOf(tensor).dtype === BFLOAT16;
      return trace.valueOf(isHalf ? trace.cast(tensor, DATA_TYPE.float32) : tensor);
    };
    const joined = (shards.whole ?? []).map((key) => {
      const shape = [replicas * sizeOf(state[key]?.shape ?? [])];
      const origin = { kind: "input", name: wholeName(key) } as const;
      return [key, trace.placeholder(shape, DATA_TYPE.float32, origin)] as const;
    });
    const entries = { ...placeholders(state, "state"), ...Object.fromEntries(joined) };
    const result = body(entries, placeholders(inputs, "input"));
    for (const [key, tensor] of Object.entries(result.outputs))
      outputs.set(key, exchanged.has(key) ? trace.valueOf(tensor) : whole(tensor));
    for (const [key, tensor] of Object.entries(result.state ?? {})) {
      const value = whole(tensor);
      checkStateEntry(name, key, state[key], { shape: value.shape, dtype: dtypeOf(value.dtype) });
      if (value.origin.kind === "state" && value.origin.name === key) continue;
      changed.set(key, value);
    }
  });
  return { name, root: trace.root, inputs, outputs, state: changed, traceMs: performance.now() - started };
}

/** Refuses a new state entry that the state does not have, or whose shape or type differs. */
export function checkStateEntry(
  name: string,
  key: string,
  spec: TensorSpec | undefined,
  got: TensorSpec,
): void {
  if (spec === undefined) {
    throw new JitError(
      "UNKNOWN_STATE",
      `function ${JSON.stringify(name)} returns state ${JSON.stringify(key)}, which is not declared`,
    );
  }
  if (got.dtype === spec.dtype && got.shape.join() === spec.shape.join()) return;
  throw new JitError(
    "SHAPE_MISMATCH",
    `function ${JSON.stringify(name)} returns state ${JSON.stringify(key)} as ${got.dtype}[${got.shape.join(", ")}]; ` +
      `it is declared ${spec.dtype}[${spec.shape.join(", ")}]`,
  );
}
