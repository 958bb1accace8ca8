import { DATA_TYPE } from "../base/tensorflow-binding.js";
import { constant, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import { deviceOf, type Program } from "./emit-program.js";
import { emitSum } from "./emit-sum.js";
import type { FunctionNodes } from "./function-nodes.js";

/*
 * Responsibility: entries of the state summed over all replicas, where each replica's entry is replaced by the sum.
 * Not responsible for: when (graph-module.ts), launches before and after it (emit-launch.ts).
 *
 * Invariants:
 * JIT-REDUCE-1. One run reduces all entries on all replicas, because NCCL waits forever for a replica that takes no part.
 * JIT-REDUCE-2. Several entries are summed at the same time, but the sums that exist besides the state never take
 *   more bytes than the window, unless a single entry is larger. To ensure this, an entry is read only after the
 *   entries that precede it by a window have been assigned. These are the same entries on every replica, so that no
 *   two replicas wait for each other.
 * JIT-REDUCE-3. Every replica gets its own memory, and the same bits.
 */

/** An entry of the state, float32. */
interface ReducedEntry {
  readonly name: string;
  readonly bytes: number;
}

/** Two of the largest entries of 0.5 billion weights, so that NCCL can sum one while another is assigned. */
export const REDUCTION_WINDOW_BYTES = 2 ** 30;

/** @param windowBytes maximum size of sums that exist besides the state, unless a single entry is larger */
export function emitReduction(
  program: Program,
  name: string,
  entries: readonly ReducedEntry[],
  windowBytes = REDUCTION_WINDOW_BYTES,
): FunctionNodes {
  const main = new Emitter(
    { ...program, xla: false },
    `reduce_${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`,
    false,
  );
  const type = { dtype: typeOf(DATA_TYPE.float32) };
  const replicas = program.replicas.map((variables, replica) => ({
    variables,
    device: deviceOf(program, replica),
    /** For each entry, the node that runs once it and all before it are assigned. */
    done: [] as string[],
  }));
  const before = entriesBefore(entries, windowBytes);
  entries.forEach((entry, index) => {
    const held = replicas.map(({ variables, device, done }) => {
      const assigned = done[(before[index] ?? 0) - 1];
      const waits = assigned === undefined ? [] : [`^${assigned}`];
      return main.node("ReadVariableOp", [variables.get(entry.name) ?? "", ...waits], type, { device });
    });
    const sums = emitSum(main, held, `${main.prefix}_${index}`);
    replicas.forEach(({ variables, device, done }, replica) => {
      const sum = sums[replica] ?? "";
      const own = program.gpu ? sum : main.node("DeepCopy", [sum], { T: type.dtype });
      const assigned = main.node("AssignVariableOp", [variables.get(entry.name) ?? "", own], type, {
        device,
      });
      const last = done.at(-1);
      const both = [`^${assigned}`, ...(last === undefined ? [] : [`^${last}`])];
      done.push(main.node("NoOp", both, {}, { device }));
    });
  });
  const fetches = replicas.map(({ done }) => {
    const last = done.at(-1);
    const after = last === undefined ? [] : [`^${last}`];
    return `${main.node("Const", after, constant(DATA_TYPE.int32, [], [0]))}:0`;
  });
  return { feeds: "", fetches: fetches.join() };
}

/** For each entry, how many at the start of the list have to be assigned before it is read. */
export function entriesBefore(
  entries: readonly Pick<ReducedEntry, "bytes">[],
  windowBytes: number,
): number[] {
  let first = 0;
  let standing = 0;
  return entries.map(({ bytes }, index) => {
    standing += bytes;
    for (; first < index && standing > windowBytes; first += 1) standing -= entries[first]?.bytes ?? 0;
    return first;
  });
}
