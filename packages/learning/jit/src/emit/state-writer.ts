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
 */

export interface StateWriter extends FunctionNodes {
  /** The number of each entry that can be written in this way. */
  readonly indices: ReadonlyMap<string, number>;
}

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
  const branches = names.map((name, index) =>
    emitBranch(
      program,
      {
        prefix: `${prefix}_${index}`,
        variable: program.replicas[replica]?.get(name) ?? "",
        half: program.halves.has(name),
      },
      state[name]?.shape ?? [],
    ),
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
  };
}

/** A function that writes one entry, or fills it with one number. It finds the variable by its name, because passing all handles to all functions would be many arguments. */
function emitBranch(
  program: Program,
  entry: { readonly prefix: string; readonly variable: string; readonly half: boolean },
  shape: readonly number[],
): string {
  const { half } = entry;
  const body = new Emitter({ ...program, xla: false }, entry.prefix, true);
  const type = { dtype: typeOf(half ? BFLOAT16 : DATA_TYPE.float32) };
  const names = { shared_name: text(entry.variable), container: text("") };
  const variable = body.node(
    "VarHandleOp",
    [],
    { ...type, shape: { shape: shapeProto(shape) }, ...names },
    { output: "resource" },
  );
  const given = "value";
  const copied = half
    ? body.cast(given, DATA_TYPE.float32, BFLOAT16)
    : body.node("DeepCopy", [given], { T: typeOf(DATA_TYPE.float32) }, { output: "y" });
  // A value of the entry's shape passes as it is.
  const filled = body.node(
    "BroadcastTo",
    [copied, body.int(shape)],
    { T: type.dtype, Tidx: typeOf(DATA_TYPE.int32) },
    { output: "output" },
  );
  body.node("AssignVariableOp", [variable, filled], type, { name: "assign" });
  program.functions.push({
    signature: {
      name: body.prefix,
      inputArg: [{ name: given, type: DATA_TYPE.float32 }],
      outputArg: [],
      isStateful: true,
      controlOutput: ["written"],
    },
    nodeDef: body.nodes,
    ret: {},
    controlRet: { written: "assign" },
  });
  return body.prefix;
}
