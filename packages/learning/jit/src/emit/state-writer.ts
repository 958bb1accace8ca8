import { pieceSizes, piecesOf } from "../base/half.js";
import type { StateSpec } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { constant, shapeProto, text, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import type { Program } from "./emit-program.js";
import type { FunctionNodes } from "./function-nodes.js";

/*
 * One set of nodes that can write any float32 entry of the state. TensorFlow prepares every new set of fed names, and copies all
 * functions of the graph for it, which takes seconds if a model's functions are large. The entry is therefore chosen by a number.
 * One number fills an entry as well. TensorFlow's graph optimizer computes zeros that the graph knows on the host, and copies them
 * in every pass: minutes for a cache of keys and values of 20 GB.
 * bfloat16 numbers come through the same feed, two in the bits of each float32 value, since tfjs's addon has no 16-bit type. They come in
 * pieces, each kept in a variable of its own until the last one has arrived, so that no run copies a large entry to the device at once.
 * Entries share these variables, but for those with `asHalf: "staged"`.
 */

export interface StateWriter extends FunctionNodes {
  /** The number of each entry that can be written in this way. */
  readonly indices: ReadonlyMap<string, number>;
  /** The number that keeps an entry's first piece of bfloat16 numbers; the following ones keep its next pieces. */
  readonly firstPieces: ReadonlyMap<string, number>;
  /** The number that writes an entry from its pieces; of joined matrices all scales are the first piece. */
  readonly halfIndices: ReadonlyMap<string, number>;
}

const INT = typeOf(DATA_TYPE.int32);
const FLOAT = typeOf(DATA_TYPE.float32);

/** @returns undefined if no entry is float32 */
export function emitWriter(
  program: Program,
  state: Readonly<Record<string, StateSpec>>,
  replica: number,
): StateWriter | undefined {
  const names = Object.keys(state).filter((name) => state[name]?.dtype === "float32");
  if (names.length === 0) return undefined;
  const prefix = replica === 0 ? "write" : `write_replica${replica}`;
  const main = new Emitter({ ...program, xla: false }, prefix, false);
  const asHalves = names.filter((name) => ["written", "staged", "both"].includes(state[name]?.asHalf ?? ""));
  const counts = asHalves.map((name) => pieceSizes(state[name] ?? { shape: [], dtype: "float32" }).length);
  const isShared = (position: number) => state[asHalves[position] ?? ""]?.asHalf !== "staged";
  const most = Math.max(0, ...counts.filter((_, position) => isShared(position)));
  const pieces = Array.from({ length: most }, (_, piece) => `${prefix}/piece_${piece}`);
  const firstPieces = new Map<string, number>();
  const piecesOfEntry = asHalves.map((name, position) => {
    const count = counts[position] ?? 0;
    firstPieces.set(name, names.length + (isShared(position) ? 0 : pieces.length));
    if (isShared(position)) return pieces.slice(0, count);
    const own = Array.from({ length: count }, (_, piece) => `${prefix}/staged_${position}_${piece}`);
    pieces.push(...own);
    return own;
  });
  const branches: string[] = [];
  const add = (emitBranch: (prefix: string) => string) =>
    void branches.push(emitBranch(`${prefix}_${branches.length}`));
  const entryOf = (name: string): Entry => ({
    variable: program.replicas[replica]?.get(name) ?? "",
    half: program.halves.has(name),
    shape: state[name]?.shape ?? [],
  });
  for (const name of names) add((own) => emitFilling(program, own, entryOf(name)));
  for (const piece of pieces) add((own) => emitKeeping(program, own, piece));
  for (const [position, name] of asHalves.entries())
    add((own) =>
      emitJoining(program, own, entryOf(name), piecesOfEntry[position] ?? [], state[name]?.joined),
    );
  const index = main.node("Placeholder", [], {
    dtype: typeOf(DATA_TYPE.int32),
    shape: { shape: { dim: [] } },
  });
  // Of any shape, because entries have different ones.
  const { feed, value } = main.fed(DATA_TYPE.float32);
  const call = main.node(
    "Case",
    [index, value],
    {
      Tin: { list: { type: [DATA_TYPE.float32] } },
      Tout: { list: {} },
      branches: { list: { func: branches.map((name) => ({ name })) } },
      output_shapes: { list: {} },
    },
    { device: program.gpu ? `/device:GPU:${replica}` : undefined },
  );
  const written = main.node("Const", [`^${call}`], constant(DATA_TYPE.int32, [], [0]));
  return {
    feeds: `${index}:0,${feed}:0`,
    fetches: `${written}:0`,
    indices: new Map(names.map((name, position) => [name, position])),
    firstPieces,
    halfIndices: new Map(asHalves.map((name, position) => [name, names.length + pieces.length + position])),
  };
}

interface Entry {
  readonly variable: string;
  /** Whether the entry is stored in bfloat16. */
  readonly half: boolean;
  readonly shape: readonly number[];
}

/** The name of what a branch is given. */
const given = "value";

function bodyOf(program: Program, prefix: string): Emitter {
  return new Emitter({ ...program, xla: false }, prefix, true);
}

/** Finds a variable by its name, because passing all handles to all functions would be many arguments. */
function handle(body: Emitter, name: string, type: number, shape: readonly number[]): string {
  const names = { shared_name: text(name), container: text("") };
  const attributes = { dtype: typeOf(type), shape: { shape: shapeProto(shape) }, ...names };
  return body.node("VarHandleOp", [], attributes, { output: "resource" });
}

/** Adds the function of a branch, which is done when these nodes have run. */
function addFunction(program: Program, { prefix, nodes }: Emitter, done: readonly string[]): string {
  const last = { name: "done", op: "NoOp", input: done.map((name) => `^${name}`), attr: {} };
  program.functions.push({
    signature: {
      name: prefix,
      inputArg: [{ name: given, type: DATA_TYPE.float32 }],
      outputArg: [],
      isStateful: true,
      controlOutput: ["written"],
    },
    nodeDef: [...nodes, last],
    ret: {},
    controlRet: { written: "done" },
  });
  return prefix;
}

/** A function that writes one entry as it was fed, or one number to all of it. */
function emitFilling(program: Program, prefix: string, { variable, half, shape }: Entry): string {
  const body = bodyOf(program, prefix);
  const type = half ? BFLOAT16 : DATA_TYPE.float32;
  const copied = half ? body.cast(given, DATA_TYPE.float32, BFLOAT16) : copyOf(body, given);
  // A value of the entry's shape passes as it is.
  const value = body.node("BroadcastTo", [copied, body.int(shape)], { T: typeOf(type), Tidx: INT });
  const inputs = [handle(body, variable, type, shape), value];
  body.node("AssignVariableOp", inputs, { dtype: typeOf(type) }, { name: "assign" });
  return addFunction(program, body, ["assign"]);
}

/** A function that keeps one piece of any length. */
function emitKeeping(program: Program, prefix: string, piece: string): string {
  const body = bodyOf(program, prefix);
  const inputs = [handle(body, piece, DATA_TYPE.float32, [-1]), copyOf(body, given)];
  body.node("AssignVariableOp", inputs, { dtype: FLOAT }, { name: "assign" });
  return addFunction(program, body, ["assign"]);
}

/** A function that writes one entry from its pieces and frees these: bits of all of it, or of matrices to be scaled by row and joined. */
function emitJoining(
  program: Program,
  prefix: string,
  { variable, half, shape }: Entry,
  pieces: readonly string[],
  joined: readonly number[] | undefined,
): string {
  const body = bodyOf(program, prefix);
  const type = half ? BFLOAT16 : DATA_TYPE.float32;
  const none = body.node("Const", [], constant(DATA_TYPE.float32, [0], []));
  const freed: string[] = [];
  const kept = pieces.map((piece, index) => {
    const resource = handle(body, piece, DATA_TYPE.float32, [-1]);
    const name = `read_${index}`;
    const read = body.node("ReadVariableOp", [resource], { dtype: FLOAT }, { name, output: "value" });
    body.node("AssignVariableOp", [resource, none, `^${name}`], { dtype: FLOAT }, { name: `free_${index}` });
    freed.push(`free_${index}`);
    return read;
  });
  const whole = (bits: readonly string[]) => {
    const halves = halvesOf(body, concatenated(body, bits, 0));
    return half ? halves : body.toFloat(halves);
  };
  const value =
    joined === undefined ? reshaped(body, whole(kept), shape, type) : joinedOf(body, kept, shape, joined);
  const stored = joined !== undefined && half ? body.half(value) : value;
  const inputs = [handle(body, variable, type, shape), stored];
  body.node("AssignVariableOp", inputs, { dtype: typeOf(type) }, { name: "assign" });
  return addFunction(program, body, ["assign", ...freed]);
}

/** Scales the rows of matrices and joins them side by side, in float32. */
function joinedOf(
  body: Emitter,
  [scales = "", ...bits]: readonly string[],
  [rows = 1]: readonly number[],
  joined: readonly number[],
): string {
  let at = 0;
  const parts = joined.map((width, part) => {
    const count = piecesOf((rows * width) / 2).length;
    const pairs = concatenated(body, bits.slice(at, at + count), 0);
    at += count;
    const values = reshaped(body, body.toFloat(halvesOf(body, pairs)), [rows, width]);
    const own = body.node("Slice", [scales, body.int([part * rows]), body.int([rows])], {
      T: FLOAT,
      Index: INT,
    });
    return body.node("Mul", [values, reshaped(body, own, [rows, 1])], { T: FLOAT }, { output: "z" });
  });
  return concatenated(body, parts, 1);
}

function concatenated(body: Emitter, parts: readonly string[], axis: number): string {
  const [first = ""] = parts;
  if (parts.length === 1) return first;
  const attributes = { N: { i: parts.length }, T: FLOAT, Tidx: INT };
  return body.node("ConcatV2", [...parts, body.int(axis)], attributes);
}

/** JIT-PROGRAM-4. */
function copyOf(body: Emitter, value: string): string {
  return body.node("DeepCopy", [value], { T: FLOAT }, { output: "y" });
}

/** Returns float32 values' bits as twice as many bfloat16 numbers, [values, 2]. */
function halvesOf(body: Emitter, pairs: string): string {
  return body.node("Bitcast", [pairs], { T: FLOAT, type: typeOf(BFLOAT16) });
}

function reshaped(
  body: Emitter,
  values: string,
  shape: readonly number[],
  type: number = DATA_TYPE.float32,
): string {
  return body.node("Reshape", [values, body.int(shape)], { T: typeOf(type), Tshape: INT });
}
