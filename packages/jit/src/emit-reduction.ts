import { constant, text, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import { deviceOf, type Program } from "./emit-program.js";
import type { FunctionNodes } from "./program.js";
import { DATA_TYPE } from "./tensorflow-binding.js";

/*
 * Responsibility: entries of the state summed over all replicas, each replica's entry replaced by the sum.
 * Not responsible for: when (graph-module.ts), launches between which it stands (emit-launch.ts).
 *
 * Invariants:
 * JIT-REDUCE-1. One run reduces all entries on all replicas: a replica that takes no part would be waited for without end.
 * JIT-REDUCE-2. Entries come one after another, in the same order on every replica: one entry's sum stands beside the state, not
 *     those of all, and no two replicas wait for each other.
 * JIT-REDUCE-3. Every replica gets memory of its own, and the same bits.
 */

/** @param entries names of state entries, float32 */
export function emitReduction(program: Program, name: string, entries: readonly string[]): FunctionNodes {
  const main = new Emitter(
    { ...program, xla: false },
    `reduce_${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`,
    false,
  );
  const type = { dtype: typeOf(DATA_TYPE.float32) };
  const T = { T: typeOf(DATA_TYPE.float32) };
  const replicas = program.replicas.map((variables, replica) => ({
    variables,
    device: deviceOf(program, replica),
  }));
  let before: readonly string[][] = replicas.map(() => []);
  entries.forEach((entry, index) => {
    const held = replicas.map(({ variables, device }, replica) =>
      main.node("ReadVariableOp", [variables.get(entry) ?? "", ...(before[replica] ?? [])], type, { device }),
    );
    const sum = program.gpu ? undefined : main.node("AddN", held, { ...T, N: { i: held.length } });
    before = replicas.map(({ variables, device }, replica) => {
      const shared = text(`${main.prefix}_${index}`);
      const reduced =
        sum === undefined
          ? main.node(
              "NcclAllReduce",
              [held[replica] ?? ""],
              { ...T, reduction: text("sum"), num_devices: { i: replicas.length }, shared_name: shared },
              { device },
            )
          : main.node("DeepCopy", [sum], T);
      return [`^${main.node("AssignVariableOp", [variables.get(entry) ?? "", reduced], type, { device })}`];
    });
  });
  const fetches = before.map((after) => `${main.node("Const", after, constant(DATA_TYPE.int32, [], [0]))}:0`);
  return { feeds: "", fetches: fetches.join() };
}
