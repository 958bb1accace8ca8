import { sizeOf } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import type { TracedFunction } from "../trace/traced-function.js";
import { constant, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";
import type { Program } from "./emit-program.js";
import { entriesBefore, REDUCTION_WINDOW_BYTES } from "./emit-reduction.js";

/*
 * Responsibility: what replicas exchange around a launch where each holds one shard of an entry (`JitShards`). Between GPUs these are
 *   copies that TensorFlow makes where an operation's input is on another device; they keep bfloat16, which NCCL's operations lack.
 * Not responsible for: which entries are sharded (the caller), sums of whole entries (emit-reduction.ts).
 *
 * Invariants:
 * JIT-SHARD-1. A replica adds the replicas' values to its shard one after another in their order, in float32: equal runs give equal bits.
 * JIT-SHARD-2. Entries are exchanged one after another, or as many at once as the window holds: what exists besides the state and the
 *   launches' outputs is never more than the window or one entry. An output is therefore passed on only after the entries that precede it by a
 *   window have been written on every replica.
 */

/** The part of a replica's call that an exchange needs. */
interface Replica {
  readonly main: Emitter;
  readonly device: string | undefined;
  readonly variables: ReadonlyMap<string, string>;
  /** What has to run before the call's outputs are fetched. */
  last: string | undefined;
}

/** Joins a sharded entry for each replica. @returns references by replica, in the type in which it is stored */
export function emitWhole(replicas: readonly Replica[], entry: string, dtype: number): string[] {
  const shards = replicas.map(({ main, device, variables }) =>
    main.node("ReadVariableOp", [variables.get(entry) ?? ""], { dtype: typeOf(dtype) }, { device }),
  );
  return replicas.map((replica) => joined(replica, shards, dtype));
}

/** Emits what follows a launch: sums scattered to the entries of their owners, and shards joined to entries. */
export function emitExchange(
  program: Program,
  replicas: readonly Replica[],
  { outputs, shards = {} }: Pick<TracedFunction, "outputs" | "shards">,
  given: (key: string) => readonly string[],
): void {
  const scattered = new Set(shards.scatter);
  const keys = [...scattered, ...(shards.gather ?? [])];
  const forms = keys.map((key) => {
    const { shape = [], dtype = DATA_TYPE.float32 } = outputs.get(key) ?? {};
    const values = sizeOf(shape) * (scattered.has(key) ? 1 : replicas.length);
    return { dtype, bytes: values * (dtype === BFLOAT16 ? 2 : 4) };
  });
  const before = entriesBefore(forms, REDUCTION_WINDOW_BYTES);
  /** For each entry, the nodes that run once it and all before it are written, by replica. */
  const done: string[][] = [];
  keys.forEach((key, index) => {
    const waits = (done[(before[index] ?? 0) - 1] ?? []).map((node) => `^${node}`);
    const emit = scattered.has(key) ? emitScatter : emitGather;
    const what = { entry: key, given: given(key), dtype: forms[index]?.dtype ?? DATA_TYPE.float32, waits };
    const written = emit(replicas, what, program);
    const previous = done.at(-1);
    done.push(
      replicas.map(({ main, device }, at) => {
        const both = [`^${written[at]}`, ...(previous === undefined ? [] : [`^${previous[at]}`])];
        return main.node("NoOp", both, {}, { device });
      }),
    );
  });
  const all = done.at(-1);
  if (all === undefined) return;
  for (const [at, replica] of replicas.entries()) replica.last = all[at];
}

/** A launch's output on its way to an entry of the state. */
interface Exchanged {
  readonly entry: string;
  /** References by replica. */
  readonly given: readonly string[];
  readonly dtype: number;
  readonly waits: readonly string[];
}

/** @returns by replica, the node that has added everything */
function emitScatter(replicas: readonly Replica[], { entry, given, dtype, waits }: Exchanged): string[] {
  const count = replicas.length;
  const rows = replicas.map((replica, at) => {
    const { main, device } = replica;
    const inputs = [int(replica, []), given[at] ?? "", ...waits];
    const split = main.node("Split", inputs, { T: typeOf(dtype), num_split: { i: count } }, { device });
    return main.references(split, count, ["output"], true);
  });
  const float = typeOf(DATA_TYPE.float32);
  return replicas.map((replica, owner) => {
    const { main, device, variables } = replica;
    let last = "";
    for (const own of rows) {
      const flat = main.node(
        "Reshape",
        [own[owner] ?? "", int(replica, [1], -1)],
        { T: typeOf(dtype), Tshape: typeOf(DATA_TYPE.int32) },
        { device },
      );
      const types = { SrcT: typeOf(BFLOAT16), DstT: float, Truncate: { b: false } };
      const wide = dtype === BFLOAT16 ? main.node("Cast", [flat], types, { device }) : flat;
      const inputs = [variables.get(entry) ?? "", wide, ...(last === "" ? [] : [`^${last}`])];
      last = main.node("AssignAddVariableOp", inputs, { dtype: float }, { device });
    }
    return last;
  });
}

/** @returns by replica, the node that has assigned the entry */
function emitGather(
  replicas: readonly Replica[],
  { entry, given, dtype, waits }: Exchanged,
  program: Pick<Program, "gpu" | "shapes">,
): string[] {
  const T = typeOf(dtype);
  const shards = replicas.map(({ main, device }, at) =>
    main.node("Identity", [given[at] ?? "", ...waits], { T }, { device }),
  );
  return replicas.map((replica) => {
    const { main, device, variables } = replica;
    const whole = joined(replica, shards, dtype);
    const shape = program.shapes.get(entry) ?? [];
    const types = { T, Index: typeOf(DATA_TYPE.int32) };
    const cut = main.node("Slice", [whole, int(replica, [1]), int(replica, [1], sizeOf(shape))], types, {
      device,
    });
    const sizes = main.node("Const", [], constant(DATA_TYPE.int32, [shape.length], shape), { device });
    const formed = main.node("Reshape", [cut, sizes], { T, Tshape: typeOf(DATA_TYPE.int32) }, { device });
    // Replicas that share a CPU must not share memory (JIT-REDUCE-3).
    const own = program.gpu ? formed : main.node("DeepCopy", [formed], { T });
    return main.node("AssignVariableOp", [variables.get(entry) ?? "", own], { dtype: T }, { device });
  });
}

function joined(replica: Replica, shards: readonly string[], dtype: number): string {
  const attributes = { T: typeOf(dtype), Tidx: typeOf(DATA_TYPE.int32), N: { i: shards.length } };
  return replica.main.node("ConcatV2", [...shards, int(replica, [])], attributes, { device: replica.device });
}

/** A number, or a list of one, where the operation that uses it is. */
function int({ main, device }: Replica, shape: readonly number[], value = 0): string {
  return main.node("Const", [], constant(DATA_TYPE.int32, shape, [value]), { device });
}
