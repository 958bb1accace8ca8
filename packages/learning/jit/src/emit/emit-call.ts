import { BFLOAT16 } from "../base/tensorflow-binding.js";
import type { Callee, Operation } from "../trace/value.js";
import { text } from "./attributes.js";
import type { Emitter, WriteOperations } from "./emit.js";
import { liveness } from "./liveness.js";

/** Emits a call, and the called function unless an earlier call has already emitted it. */
export function emitCall(
  outer: Emitter,
  { inputs, outputs }: Operation,
  callee: Callee,
  write: WriteOperations,
): void {
  // Values stored in bfloat16 are passed without conversion, as into a loop.
  const given = inputs.map((value) => outer.stored(value) ?? outer.reference(value));
  const types = inputs.map((value) => (outer.stored(value) === undefined ? value.dtype : BFLOAT16));
  const name = calledFunction(outer, callee, types, write);
  const none = text("");
  const node = outer.node("PartitionedCall", given, {
    Tin: { list: { type: types } },
    Tout: { list: { type: outputs.map(({ dtype }) => dtype) } },
    f: { func: { name } },
    config: none,
    config_proto: none,
    executor_type: none,
  });
  outer.results(node, outputs, ["output"], true);
}

function calledFunction(
  outer: Emitter,
  callee: Callee,
  types: readonly number[],
  write: WriteOperations,
): string {
  const { callees, functions } = outer.program;
  const written = callees.get(callee) ?? new Map<string, string>();
  callees.set(callee, written);
  const known = written.get(types.join());
  if (known !== undefined) return known;
  const name = outer.callName();
  written.set(types.join(), name);
  const body = outer.forFunction(name);
  callee.arguments.forEach((value, index) => {
    const argument = `a${index}`;
    if (types[index] === value.dtype) body.bind(value, argument);
    else body.bindStored(value, argument);
  });
  write(body, callee.body.operations, liveness(callee.results));
  const results = callee.results.map((value) => body.reference(value));
  functions.push({
    signature: {
      name,
      inputArg: types.map((type, index) => ({ name: `a${index}`, type })),
      outputArg: callee.results.map(({ dtype }, index) => ({ name: `r${index}`, type: dtype })),
    },
    nodeDef: body.nodes,
    ret: Object.fromEntries(results.map((reference, index) => [`r${index}`, reference])),
  });
  return name;
}
