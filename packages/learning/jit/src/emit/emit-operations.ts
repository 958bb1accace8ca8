import { ADAM, ROTATE_PAIRS, SCATTER_ROWS } from "../trace/shape-inference/rules.js";
import type { Operation } from "../trace/value.js";
import type { Emitter } from "./emit.js";
import { emitAdamComposed, emitAdamStep } from "./emit-adam.js";
import { emitCall } from "./emit-call.js";
import { emitLoop } from "./emit-loop.js";
import { emitOperation } from "./emit-operation.js";
import { emitRandom } from "./emit-random.js";
import { emitRotatePairs } from "./emit-rotate-pairs.js";
import { emitRows } from "./emit-rows.js";
import type { Live } from "./liveness.js";
import { emitModule, XLA_MODULE } from "./xla-module.js";

/** Random numbers of [0, 1). */
const RANDOM = "StatelessRandomUniform";

/** Emits the operations that are in `live`, in the order of the trace, each in its form for a graph. */
export function emitOperations(emitter: Emitter, operations: readonly Operation[], live: Live): void {
  for (const operation of operations) {
    if (!live.operations.has(operation)) continue;
    const { loop, callee, name } = operation;
    const use = live.loops.get(operation);
    if (loop !== undefined && use !== undefined) emitLoop(emitter, operation, loop, use, emitOperations);
    else if (callee !== undefined) emitCall(emitter, operation, callee, emitOperations);
    else if (name === ADAM) emitAdam(emitter, operation);
    else if (name === ROTATE_PAIRS) emitRotatePairs(emitter, operation);
    else if (name === SCATTER_ROWS) emitRows(emitter, operation);
    else if (name === RANDOM) emitRandom(emitter, operation);
    else if (name === XLA_MODULE) emitModule(emitter, operation);
    else emitOperation(emitter, operation);
  }
}

/** Emits an optimizer step: one kernel over the variables if it may write to them directly, else its arithmetic. */
function emitAdam(emitter: Emitter, operation: Operation): void {
  const { program, steps } = emitter;
  const step = program.adamSteps.get(operation);
  if (step === undefined) {
    emitAdamComposed(emitter, operation);
    return;
  }
  const variable = (name: string): string => program.variables.get(name) ?? "";
  const { weights, moment1, moment2 } = step;
  const gradient = operation.inputs[3];
  const held = gradient?.origin.kind === "state" ? variable(gradient.origin.name) : undefined;
  const variables = [variable(weights), variable(moment1), variable(moment2)] as const;
  steps.set(operation, emitAdamStep(emitter, operation, variables, held));
}
