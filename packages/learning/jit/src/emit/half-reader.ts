import { type StateSpec, sizeOf } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { shapeProto, text, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import type { Program } from "./emit-program.js";
import type { FunctionNodes } from "./function-nodes.js";

/*
 * One set of nodes that reads any entry with `asHalf: "read"` as bfloat16, in pieces: an entry is rounded on the device, and half of its
 * bytes travel, two numbers in the bits of each float32 value, since tfjs's addon has no 16-bit type. A piece is chosen by its number, for
 * the reason of state-writer.ts, and checked for values that are not finite, which takes the host a fifth of a second per GB; integers that say where it lies would have to be in host memory inside a function on a GPU.
 */

export interface HalfReader extends FunctionNodes {
  /** The numbers of an entry's pieces, in order. */
  readonly pieces: ReadonlyMap<string, readonly number[]>;
}

/** A piece's size in values, at most, unless one row of a matrix has more: 64 MiB, of which the host allocates only one at a time. */
const pieceValues = 2 ** 25;

const INT = typeOf(DATA_TYPE.int32);
const FLOAT = typeOf(DATA_TYPE.float32);

/**
 * Emits the reader of a replica; of others than the first only entries that are read and written so are read.
 * @returns undefined if no entry is read so
 */
export function emitHalfReader(
  program: Program,
  state: Readonly<Record<string, StateSpec>>,
  replica: number,
): HalfReader | undefined {
  const kinds = replica === 0 ? ["read", "both"] : ["both"];
  const names = Object.keys(state).filter((name) => kinds.includes(state[name]?.asHalf ?? ""));
  if (names.length === 0) return undefined;
  const prefix = replica === 0 ? "read_half" : `read_half_replica${replica}`;
  const branches: string[] = [];
  const pieces = new Map<string, number[]>();
  for (const name of names) {
    const shape = state[name]?.shape ?? [];
    // A vector, such as a shard, is cut anywhere.
    const columns = shape.length === 1 ? 2 : (shape.at(-1) ?? 1);
    const all = sizeOf(shape) / columns;
    const rows = Math.max(1, Math.floor(pieceValues / columns));
    const own: number[] = [];
    for (let first = 0; first < all; first += rows) {
      own.push(branches.length);
      const count = Math.min(rows, all - first);
      const piece = { name, replica, columns, first, count };
      branches.push(emitBranch(program, `${prefix}_${branches.length}`, piece));
    }
    pieces.set(name, own);
  }
  const main = new Emitter({ ...program, xla: false }, prefix, false);
  const index = main.node("Placeholder", [], { dtype: INT, shape: { shape: shapeProto([]) } });
  const read = main.node(
    "Case",
    [index],
    {
      Tin: { list: {} },
      Tout: { list: { type: [DATA_TYPE.float32, DATA_TYPE.float32] } },
      branches: { list: { func: branches.map((name) => ({ name })) } },
      output_shapes: { list: {} },
    },
    { device: program.gpu ? `/device:GPU:${replica}` : undefined },
  );
  return { feeds: `${index}:0`, fetches: `${read}:0,${read}:1`, pieces };
}

/** Rows of an entry; a row is all values of the last dimension. */
interface Piece {
  readonly name: string;
  readonly replica: number;
  readonly columns: number;
  readonly first: number;
  readonly count: number;
}

function emitBranch(
  program: Program,
  prefix: string,
  { name, replica, columns, first, count }: Piece,
): string {
  const half = program.halves.has(name);
  const body = new Emitter({ ...program, xla: false }, prefix, true);
  const type = { dtype: typeOf(half ? BFLOAT16 : DATA_TYPE.float32) };
  const names = { shared_name: text(program.replicas[replica]?.get(name) ?? ""), container: text("") };
  const variable = body.node(
    "VarHandleOp",
    [],
    { ...type, shape: { shape: shapeProto(program.shapes.get(name) ?? []) }, ...names },
    { output: "resource" },
  );
  const reshaped = (values: string, to: readonly number[], dtype: number = DATA_TYPE.float32) =>
    body.node("Reshape", [values, body.int(to)], { T: typeOf(dtype), Tshape: INT });
  const pairsOf = (halves: string) =>
    body.node("Bitcast", [reshaped(halves, [-1, 2], BFLOAT16)], { T: typeOf(BFLOAT16), type: FLOAT });
  const held = body.node("ReadVariableOp", [variable], type, { output: "value" });
  // Rows are taken from float32 values either way, of which an entry in bfloat16 has half as many per row.
  const width = half ? columns / 2 : columns;
  const whole = reshaped(half ? pairsOf(held) : held, [-1, width]);
  const range = [body.int([first, 0]), body.int([count, width])];
  const rows = body.node("Slice", [whole, ...range], { T: FLOAT, Index: INT });
  const pairs = half ? reshaped(rows, [-1]) : pairsOf(body.half(rows));
  const halves = body.node("Bitcast", [pairs], { T: FLOAT, type: typeOf(BFLOAT16) });
  const finite = body.node("IsFinite", [body.toFloat(halves)], { T: FLOAT }, { output: "y" });
  const all = body.node("All", [finite, body.int([0, 1])], { Tidx: INT, keep_dims: { b: false } });
  const ret = { pairs, finite: body.cast(all, DATA_TYPE.bool, DATA_TYPE.float32) };
  program.functions.push({
    signature: {
      name: prefix,
      inputArg: [],
      outputArg: [
        { name: "pairs", type: DATA_TYPE.float32 },
        { name: "finite", type: DATA_TYPE.float32 },
      ],
      isStateful: true,
    },
    nodeDef: body.nodes,
    ret,
  });
  return prefix;
}
