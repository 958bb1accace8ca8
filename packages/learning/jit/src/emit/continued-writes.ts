import { SCATTER_ROWS } from "../trace/shape-inference/rules.js";
import type { TracedFunction } from "../trace/traced-function.js";
import type { Operation, Value } from "../trace/value.js";
import { type InPlaceWrite, mayShare } from "./memory.js";

/**
 * Finds row writes that continue another one which does not go into the state. They may go into the memory of its result if
 * everything else that reads that comes earlier in the trace, and if it is neither returned nor kept. All orders that this imposes
 * are those of the trace, so they cannot contradict each other.
 * @param state the writes that go into the state itself; if one of them waits for a later operation, no order is imposed here
 * @returns for each such write the operations that it waits for
 */
export function continuedWrites(
  fn: TracedFunction,
  live: ReadonlySet<Operation>,
  state: ReadonlyMap<Operation, InPlaceWrite>,
): Map<Operation, readonly Operation[]> {
  const found = new Map<Operation, readonly Operation[]>();
  const operations = fn.root.operations.filter((operation) => live.has(operation));
  const order = new Map(operations.map((operation, index) => [operation, index]));
  const isBefore = (one: Operation, other: Operation) => (order.get(one) ?? 0) < (order.get(other) ?? 0);
  if ([...state].some(([write, { after }]) => after.some((reader) => !isBefore(reader, write)))) return found;
  const consumers = consumersOf(operations);
  const results = new Set([...fn.outputs.values(), ...fn.state.values()]);
  for (const write of operations) {
    const [target] = write.inputs;
    if (write.name !== SCATTER_ROWS || target?.origin.kind !== "operation") continue;
    const { operation: earlier } = target.origin;
    if (earlier.name !== SCATTER_ROWS || state.has(earlier) || state.has(write)) continue;
    const readers = readersOf(target, write, consumers, results);
    if (readers?.every((reader) => isBefore(reader, write)) === true) found.set(write, readers);
  }
  return found;
}

/** Returns the operations besides `write` that read the target's memory, by any name; undefined if it leaves the function. */
function readersOf(
  target: Value,
  write: Operation,
  consumers: ReadonlyMap<Value, readonly Operation[]>,
  results: ReadonlySet<Value>,
): Operation[] | undefined {
  const readers = new Set<Operation>();
  const names = new Set([target]);
  for (const name of names) {
    if (results.has(name)) return undefined;
    for (const reader of consumers.get(name) ?? []) {
      if (reader === write) {
        // The rows to write must not be part of what they are written to.
        if (write.inputs.lastIndexOf(name) !== 0) return undefined;
        continue;
      }
      readers.add(reader);
      for (const output of reader.outputs) if (mayShare(reader, name, output)) names.add(output);
    }
  }
  return [...readers];
}

function consumersOf(operations: readonly Operation[]): Map<Value, Operation[]> {
  const consumers = new Map<Value, Operation[]>();
  for (const operation of operations) {
    for (const input of new Set(operation.inputs)) {
      const known = consumers.get(input);
      if (known === undefined) consumers.set(input, [operation]);
      else known.push(operation);
    }
  }
  return consumers;
}
