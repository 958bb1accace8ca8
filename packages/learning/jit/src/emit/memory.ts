import { sizeOf } from "../base/spec.js";
import { opRules, SCATTER_ROWS } from "../trace/shape-inference/rules.js";
import type { TracedFunction } from "../trace/traced-function.js";
import type { Operation, Value } from "../trace/value.js";

/*
 * Responsibility: which values may share memory, and therefore where a row write may go into a variable itself.
 *
 * TensorFlow forwards buffers freely: a slice, a reshape, a sum over nothing, or what its optimizer makes of x + 0, is
 * the input under another name. Values of all operations that may do that count as sharing; a false positive costs a copy.
 */

export function mayShare(operation: Operation, input: Value, output: Value): boolean {
  if (input.dtype !== output.dtype) return false;
  // A loop returns what it is given.
  const shares = operation.loop === undefined ? opRules[operation.name]?.shares : "input";
  if (shares === "part") return operation.inputs[0] === input;
  return shares === "input" && sizeOf(input.shape) === sizeOf(output.shape);
}

/** Returns whether the value may share memory with one of the function's inputs, or with a state entry that `isOwner` names. */
export function sharesMemory(
  value: Value,
  isOwner: (state: string) => boolean,
  seen = new Set<Value>(),
): boolean {
  if (seen.has(value)) return false;
  seen.add(value);
  const { origin } = value;
  if (origin.kind === "input") return true;
  if (origin.kind === "state") return isOwner(origin.name);
  if (origin.kind !== "operation") return false;
  const { operation } = origin;
  return operation.inputs.some(
    (input) => mayShare(operation, input, value) && sharesMemory(input, isOwner, seen),
  );
}

/** A row write that may go into the variable itself, after the operations in `after`, which read the old rows. */
export interface InPlaceWrite {
  readonly state: string;
  readonly after: readonly Operation[];
}

/**
 * Finds chains of row writes from a state entry to its new value. The old rows may be read by operations that can run
 * before, but must not be returned, become other state, or be needed after the write.
 */
export function inPlaceWrites(
  fn: TracedFunction,
  live: ReadonlySet<Operation>,
): Map<Operation, InPlaceWrite> {
  const graph = new DependencyGraph(fn.root.operations.filter((operation) => live.has(operation)));
  const results = new Set([...fn.outputs.values(), ...fn.state.values()]);
  const found = new Map<Operation, InPlaceWrite>();
  for (const [state, result] of fn.state) {
    const chain = writeChain(result);
    const [first] = chain;
    const old = first?.inputs[0];
    if (first === undefined || old?.origin.kind !== "state" || old.origin.name !== state) continue;
    const overwritten = chain.slice(0, -1).flatMap((operation) => operation.outputs);
    if (overwritten.some((value) => results.has(value) || graph.consumers(value).length !== 1)) continue;
    const readers = readersOf(old, first, graph, results);
    if (readers === undefined || !graph.orderBefore(readers, first)) continue;
    chain.forEach((operation, index) => {
      found.set(operation, { state, after: index === 0 ? readers : [] });
    });
  }
  return found;
}

/** Returns the row writes that end in `result`, first to last. */
function writeChain(result: Value): Operation[] {
  const chain: Operation[] = [];
  for (
    let value: Value | undefined = result;
    value?.origin.kind === "operation";
    value = chain[0]?.inputs[0]
  ) {
    if (value.origin.operation.name !== SCATTER_ROWS) break;
    chain.unshift(value.origin.operation);
  }
  return chain;
}

/** Returns the operations that read the old rows besides the write itself; undefined if the rows leave the function. */
function readersOf(
  old: Value,
  write: Operation,
  graph: DependencyGraph,
  results: ReadonlySet<Value>,
): Operation[] | undefined {
  const readers = new Set<Operation>();
  const pending = [old];
  const seen = new Set(pending);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (results.has(value)) return undefined;
    for (const reader of graph.consumers(value)) {
      if (reader === write) {
        // The rows to write must not share memory with the table they are written to.
        if (value !== old || write.inputs.filter((input) => input === old).length > 1) return undefined;
        continue;
      }
      readers.add(reader);
      for (const output of reader.outputs) {
        if (seen.has(output) || !mayShare(reader, value, output)) continue;
        seen.add(output);
        pending.push(output);
      }
    }
  }
  return [...readers];
}

/** Operations of one scope: data dependencies, and additional ordering constraints. */
class DependencyGraph {
  readonly #consumers = new Map<Value, Operation[]>();
  readonly #waiting = new Map<Operation, Operation[]>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      for (const input of new Set(operation.inputs)) {
        const consumers = this.#consumers.get(input);
        if (consumers === undefined) this.#consumers.set(input, [operation]);
        else consumers.push(operation);
      }
    }
  }

  consumers(value: Value): readonly Operation[] {
    return this.#consumers.get(value) ?? [];
  }

  /** Makes `later` wait for `earlier`; returns false and does nothing if one of them needs `later`. */
  orderBefore(earlier: readonly Operation[], later: Operation): boolean {
    const reached = new Set([later]);
    for (const operation of reached) {
      const next = [
        ...operation.outputs.flatMap((output) => this.consumers(output)),
        ...(this.#waiting.get(operation) ?? []),
      ];
      for (const follower of next) reached.add(follower);
    }
    if (earlier.some((operation) => reached.has(operation))) return false;
    for (const operation of earlier) {
      this.#waiting.set(operation, [...(this.#waiting.get(operation) ?? []), later]);
    }
    return true;
  }
}
