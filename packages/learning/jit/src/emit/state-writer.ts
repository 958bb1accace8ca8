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
 * bfloat16 numbers come through the same feed, two in the bits of each float32 value, since tfjs's addon has no 16-bit type.
 */

export interface StateWriter extends FunctionNodes {
  /** The number of each entry that can be written in this way. */
  readonly indices: ReadonlyMap<string, number>;
  /** The number that writes an entry from the bits of bfloat16 numbers; of joined matrices all scales come first. */
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
  const asHalves = names.filter((name) => state[name]?.asHalf === "written");
  const branches = [...names, ...asHalves].map((name, index) =>
    emitBranch(program, {
      prefix: `${prefix}_${index}`,
      variable: program.replicas[replica]?.get(name) ?? "",
      half: program.halves.has(name),
      shape: state[name]?.shape ?? [],
      value: index < names.length ? filledValue : halfValue(state[name]?.joined),
    }),
  );
  const index = main.node("Placeholder", [], {
    dtype: typeOf(DATA_TYPE.int32),
    shape: { shape: { dim: [] } },
  });
  // Without a shape, because entries have different ones.
  const value = main.node("Placeholder", [], { dtype: typeOf(DATA_TYPE.float32) });
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
    feeds: `${index}:0,${value}:0`,
    fetches: `${written}:0`,
    indices: new Map(names.map((name, position) => [name, position])),
    halfIndices: new Map(asHalves.map((name, position) => [name, names.length + position])),
  };
}

interface Branch {
  readonly prefix: string;
  readonly variable: string;
  /** Whether the entry is stored in bfloat16. */
  readonly half: boolean;
  readonly shape: readonly number[];
  /** Emits the entry's new value from what was fed. */
  readonly value: (body: Emitter, given: string, branch: Branch) => string;
}

/** A function that writes one entry. It finds the variable by its name, because passing all handles to all functions would be many arguments. */
function emitBranch(program: Program, branch: Branch): string {
  const { half, shape, prefix } = branch;
  const body = new Emitter({ ...program, xla: false }, prefix, true);
  const type = { dtype: typeOf(half ? BFLOAT16 : DATA_TYPE.float32) };
  const names = { shared_name: text(branch.variable), container: text("") };
  const variable = body.node(
    "VarHandleOp",
    [],
    { ...type, shape: { shape: shapeProto(shape) }, ...names },
    { output: "resource" },
  );
  const given = "value";
  body.node("AssignVariableOp", [variable, branch.value(body, given, branch)], type, { name: "assign" });
  program.functions.push({
    signature: {
      name: prefix,
      inputArg: [{ name: given, type: DATA_TYPE.float32 }],
      outputArg: [],
      isStateful: true,
      controlOutput: ["written"],
    },
    nodeDef: body.nodes,
    ret: {},
    controlRet: { written: "assign" },
  });
  return prefix;
}

/** The value as it was fed, or one number for all of the entry. */
function filledValue(body: Emitter, given: string, { half, shape }: Branch): string {
  const copied = half ? body.cast(given, DATA_TYPE.float32, BFLOAT16) : copyOf(body, given);
  // A value of the entry's shape passes as it is.
  return body.node("BroadcastTo", [copied, body.int(shape)], {
    T: typeOf(half ? BFLOAT16 : DATA_TYPE.float32),
    Tidx: INT,
  });
}

/** The value of bfloat16 bits: of the whole entry, or of matrices to be scaled by row and joined. */
function halfValue(joined: readonly number[] | undefined): Branch["value"] {
  return (body, given, { half, shape }) => {
    if (joined === undefined) {
      const halves = halvesOf(body, copyOf(body, given));
      const values = half ? halves : body.toFloat(halves);
      return reshaped(body, values, shape, half ? BFLOAT16 : DATA_TYPE.float32);
    }
    const [rows = 1] = shape;
    let at = joined.length * rows;
    const parts = joined.map((width, part) => {
      const pairs = (rows * width) / 2;
      const values = body.toFloat(halvesOf(body, taken(body, given, at, pairs)));
      at += pairs;
      const scales = taken(body, given, part * rows, rows);
      const factors = [reshaped(body, values, [rows, width]), reshaped(body, scales, [rows, 1])];
      return body.node("Mul", factors, { T: FLOAT }, { output: "z" });
    });
    const attributes = { N: { i: parts.length }, T: FLOAT, Tidx: INT };
    const whole =
      parts.length === 1 ? (parts[0] as string) : body.node("ConcatV2", [...parts, body.int(1)], attributes);
    return half ? body.half(whole) : whole;
  };
}

/** JIT-PROGRAM-4. */
function copyOf(body: Emitter, given: string): string {
  return body.node("DeepCopy", [given], { T: FLOAT }, { output: "y" });
}

/** Returns float32 values' bits as twice as many bfloat16 numbers, [values, 2]. */
function halvesOf(body: Emitter, pairs: string): string {
  return body.node("Bitcast", [pairs], { T: FLOAT, type: typeOf(BFLOAT16) });
}

function taken(body: Emitter, list: string, first: number, count: number): string {
  return body.node("Slice", [list, body.int([first]), body.int([count])], { T: FLOAT, Index: INT });
}

function reshaped(
  body: Emitter,
  values: string,
  shape: readonly number[],
  type: number = DATA_TYPE.float32,
): string {
  return body.node("Reshape", [values, body.int(shape)], { T: typeOf(type), Tshape: INT });
}
