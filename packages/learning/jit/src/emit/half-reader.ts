import type { StateSpec } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { shapeProto, text, typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import type { Program } from "./emit-program.js";
import type { FunctionNodes } from "./function-nodes.js";

/*
 * One set of nodes that reads rows of any entry with `asHalf: "read"` as bfloat16: an entry is rounded on the device, and half of its bytes
 * travel, two numbers in the bits of each float32 value, since tfjs's addon has no 16-bit type. The entry is chosen by a number for the
 * reason of state-writer.ts.
 */

export interface HalfReader extends FunctionNodes {
  readonly indices: ReadonlyMap<string, number>;
}

const INT = typeOf(DATA_TYPE.int32);
const FLOAT = typeOf(DATA_TYPE.float32);

/** Emits the reader of the first replica. @returns undefined if no entry is read so */
export function emitHalfReader(
  program: Program,
  state: Readonly<Record<string, StateSpec>>,
): HalfReader | undefined {
  const names = Object.keys(state).filter((name) => state[name]?.asHalf === "read");
  if (names.length === 0) return undefined;
  const prefix = "read_half";
  const main = new Emitter({ ...program, xla: false }, prefix, false);
  const branches = names.map((name, index) => emitBranch(program, `${prefix}_${index}`, name));
  const int = (shape: readonly number[]) =>
    main.node("Placeholder", [], { dtype: INT, shape: { shape: shapeProto(shape) } });
  const index = int([]);
  // The first row and the number of rows.
  const rows = [int([1]), int([1])];
  const read = main.node(
    "Case",
    [index, ...rows],
    {
      Tin: { list: { type: rows.map(() => DATA_TYPE.int32) } },
      Tout: { list: { type: [DATA_TYPE.float32] } },
      branches: { list: { func: branches.map((name) => ({ name })) } },
      output_shapes: { list: {} },
    },
    { device: program.gpu ? "/device:GPU:0" : undefined },
  );
  return {
    feeds: [index, ...rows].map((feed) => `${feed}:0`).join(),
    fetches: `${read}:0`,
    indices: new Map(names.map((name, position) => [name, position])),
  };
}

function emitBranch(program: Program, prefix: string, name: string): string {
  const half = program.halves.has(name);
  const shape = program.shapes.get(name) ?? [];
  const body = new Emitter({ ...program, xla: false }, prefix, true);
  const type = { dtype: typeOf(half ? BFLOAT16 : DATA_TYPE.float32) };
  const variable = body.node(
    "VarHandleOp",
    [],
    {
      ...type,
      shape: { shape: shapeProto(shape) },
      shared_name: text(program.replicas[0]?.get(name) ?? ""),
      container: text(""),
    },
    { output: "resource" },
  );
  const reshaped = (values: string, to: readonly number[], dtype: number = DATA_TYPE.float32) =>
    body.node("Reshape", [values, body.int(to)], { T: typeOf(dtype), Tshape: INT });
  const pairsOf = (halves: string) =>
    body.node("Bitcast", [reshaped(halves, [-1, 2], BFLOAT16)], {
      T: typeOf(BFLOAT16),
      type: FLOAT,
    });
  const columns = shape.at(-1) ?? 1;
  const held = body.node("ReadVariableOp", [variable], type, { output: "value" });
  // Rows are taken from float32 values either way, of which an entry in bfloat16 has half as many per row.
  const width = half ? columns / 2 : columns;
  const all = reshaped(half ? pairsOf(held) : held, [-1, width]);
  const concat = { N: { i: 2 }, T: INT, Tidx: INT };
  const begin = body.node("ConcatV2", ["first", body.int([0]), body.int(0)], concat);
  const size = body.node("ConcatV2", ["count", body.int([width]), body.int(0)], concat);
  const rows = body.node("Slice", [all, begin, size], { T: FLOAT, Index: INT });
  const pairs = half ? reshaped(rows, [-1]) : pairsOf(body.half(rows));
  program.functions.push({
    signature: {
      name: prefix,
      inputArg: ["first", "count"].map((argument) => ({ name: argument, type: DATA_TYPE.int32 })),
      outputArg: [{ name: "pairs", type: DATA_TYPE.float32 }],
      isStateful: true,
    },
    nodeDef: body.nodes,
    ret: { pairs },
  });
  return prefix;
}
