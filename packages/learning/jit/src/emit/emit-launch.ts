import type { ArgumentProto } from "../base/graph-protos.js";
import { type TracedFunction, wholeName } from "../trace/traced-function.js";
import type { Value } from "../trace/value.js";
import { typeOf } from "./attributes.js";
import { Emitter } from "./emit.js";
import { emitOperations } from "./emit-operations.js";
import type { Program } from "./emit-program.js";
import { liveness, sources } from "./liveness.js";

/*
 * Responsibility: a traced function as one launch: a FunctionDef that reads its variables, computes, and assigns new values
 * to them.
 *
 * Not responsible for: calls of it (emit-launch-call.ts), the state's own nodes and mode graph (program.ts).
 *
 * Invariants:
 * JIT-LAUNCH-1. A call with `_XlaMustCompile` gets the kernel that donates the variables' memory to XLA, so that new state
 *     overwrites old state in place. Nodes marked `_XlaCompile` one by one would copy it.
 * JIT-LAUNCH-2. A variable is assigned after its read; without that edge XLA may read the new value.
 * JIT-LAUNCH-3. Names depend only on the traced function, so that the compile cache finds the matching program.
 * JIT-LAUNCH-4. When a launch fails, as for lack of memory, the memory of what it writes has already been freed, but the
 *     variables still point there. After that nothing of the module is run, read or freed: its state is lost.
 */

const RESOURCE = 20;

/** A launched function. */
export interface Launch {
  readonly name: string;
  readonly inputs: readonly LaunchArgument[];
  /** Types of its outputs. */
  readonly outputs: readonly number[];
}

/** An argument of a launched function, and the input or state entry that it stands for. */
interface LaunchArgument {
  readonly argument: ArgumentProto;
  readonly from: "input" | "state";
  readonly key: string;
}

/**
 * @param name name of the function, unique in the program and the same in every process
 * @param stored returns the type in which a state entry is stored
 */
export function emitLaunch(
  program: Program,
  fn: TracedFunction,
  name: string,
  stored: (state: string) => number,
): Launch {
  const results = [...fn.outputs.values()];
  const live = liveness([...results, ...fn.state.values()]);
  const body = new Emitter(program, `${name}_launch`, true);
  const values = sources(live, [...results, ...fn.state.values()]);
  const inputs: LaunchArgument[] = [];
  const whole = (fn.shards?.whole ?? []).map((key) => [wholeName(key), stored(key)] as const);
  const types = new Map([...(fn.passed ?? []), ...whole]);
  for (const value of values) {
    if (value.origin.kind !== "input") continue;
    const argument = `input_${inputs.length}`;
    const type = types.get(value.origin.name) ?? value.dtype;
    inputs.push({ argument: { name: argument, type }, from: "input", key: value.origin.name });
    if (type === value.dtype) body.bind(value, argument);
    else body.bindStored(value, argument);
  }
  const reads = stateArguments(program, values, fn, stored);
  for (const [key, { argument, type }] of reads.entries()) {
    inputs.push({ argument: { name: argument, type: RESOURCE }, from: "state", key });
    const value = values.find(({ origin }) => origin.kind === "state" && origin.name === key);
    if (value === undefined) continue;
    const read = body.node(
      "ReadVariableOp",
      [argument],
      { dtype: typeOf(type) },
      { name: `read_${argument}`, output: "value" },
    );
    if (type === value.dtype) body.bind(value, read);
    else body.bindStored(value, read);
  }
  emitOperations(body, fn.root.operations, live);
  const assignments: string[] = [];
  for (const [key, value] of fn.state) {
    const { argument, type } = reads.get(key) ?? { argument: "", type: value.dtype };
    const fresh =
      type === value.dtype ? body.reference(value) : (body.stored(value) ?? body.half(body.reference(value)));
    const isRead = values.some(({ origin }) => origin.kind === "state" && origin.name === key);
    const after = isRead ? [`^read_${argument}`] : [];
    const node = `assign_${argument}`;
    body.node("AssignVariableOp", [argument, fresh, ...after], { dtype: typeOf(type) }, { name: node });
    assignments.push(node);
  }
  const outputs = results.map((value, index) => ({ name: `output_${index}`, type: value.dtype }));
  const control = assignments.map((node) => `done_${node}`);
  program.functions.push({
    signature: {
      name: body.prefix,
      inputArg: inputs.map(({ argument }) => argument),
      outputArg: outputs,
      isStateful: true,
      controlOutput: control,
    },
    nodeDef: body.nodes,
    ret: Object.fromEntries(results.map((value, index) => [`output_${index}`, body.reference(value)])),
    controlRet: Object.fromEntries(assignments.map((node, index) => [control[index] ?? "", node])),
  });
  return { name: body.prefix, inputs, outputs: outputs.map(({ type }) => type) };
}

/** The state entries that a function reads or changes, with the names of their arguments. */
function stateArguments(
  program: Program,
  values: readonly Value[],
  fn: TracedFunction,
  stored: (state: string) => number,
): Map<string, { readonly argument: string; readonly type: number }> {
  const used = new Set<string>();
  for (const { origin } of values) if (origin.kind === "state") used.add(origin.name);
  for (const key of fn.state.keys()) used.add(key);
  // In the state's own order, so that the order of reads in a body has no effect.
  const ordered = [...program.variables.keys()].filter((key) => used.has(key));
  return new Map(
    ordered.map((key, index) => [key, { argument: `variable_${index}`, type: stored(key) }] as const),
  );
}
