import { JitError } from "../base/error.js";
import { DATA_TYPE } from "../base/tensorflow-binding.js";
import type { JitBody, JitFunction, JitStage, Tensors } from "./jit-function.js";
import { currentTrace } from "./trace.js";

/*
 * Responsibility: functions of several stages without other replicas to sum with, as functions of one body, in every mode; and the
 * checks of stages.
 * Not responsible for: stages as launches with sums between them (traced-stages.ts, emit-launch-call.ts).
 */

/**
 * Puts all stages of every function into one body: the sum over one replica is its own value.
 * @throws {JitError} INVALID_OPTIONS for a function with shards
 */
export function inOneBody(functions: Readonly<Record<string, JitFunction>>): Record<string, JitFunction> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, { inputs, body, next, shards }]) => {
      if (shards !== undefined)
        throw new JitError(
          "INVALID_OPTIONS",
          `function ${JSON.stringify(name)} has shards, but there is one replica; leave them out, or set replicas to 2 or more`,
        );
      return [name, { inputs, body: next === undefined ? body : bodyOf(name, body, next) }];
    }),
  );
}

function bodyOf(name: string, first: JitBody, next: JitStage): JitBody {
  return (state, inputs) => {
    let given = inputs;
    let result = first(state, inputs);
    const outputs: Record<string, Tensors[string]> = {};
    for (let stage: JitStage | undefined = next; stage !== undefined; stage = stage.next) {
      checkStage(name, stage, {
        inputs: Object.keys(given),
        outputs: Object.keys(result.outputs),
        state: result.state ?? {},
      });
      const sums = new Set(stage.sums);
      const isSum = ([key]: readonly [string, unknown]) => sums.has(key);
      const entries = Object.entries(result.outputs);
      Object.assign(outputs, Object.fromEntries(entries.filter((entry) => !isSum(entry))));
      const wide = entries
        .filter(isSum)
        .map(([key, value]) => [key, currentTrace()?.cast(value, DATA_TYPE.float32) ?? value]);
      given = { ...given, ...Object.fromEntries(wide) };
      result = stage.body(state, given);
    }
    return { ...result, outputs: { ...outputs, ...result.outputs } };
  };
}

/** Refuses sums that the previous stage does not return or that would hide an input, and state that it changes. */
export function checkStage(
  name: string,
  { sums }: Pick<JitStage, "sums">,
  before: {
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
    readonly state?: Readonly<Record<string, unknown>>;
  },
): void {
  const refuse = (problem: string): never => {
    throw new JitError("INVALID_OPTIONS", `function ${JSON.stringify(name)} ${problem}`);
  };
  for (const sum of sums) {
    if (!before.outputs.includes(sum))
      refuse(
        `sums ${sum}, which the previous stage does not return; it returns ${before.outputs.join(", ")}`,
      );
    if (before.inputs.includes(sum))
      refuse(`sums ${sum}, which is also the name of an input; rename one of them`);
  }
  const [changed] = Object.keys(before.state ?? {});
  if (changed !== undefined)
    refuse(`changes state ${changed} before its last stage; only the last stage may change state`);
}
