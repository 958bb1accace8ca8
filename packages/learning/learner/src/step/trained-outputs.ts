import type { Outputs } from "./step-request.js";

/** Outputs of a micro-batch as they travel between ranks: of those with a value per token only the trained tokens' values. */
export interface TrainedOutputs {
  readonly tokens: Outputs;
  readonly others: Outputs;
}

/** @param lossMask 1 at the trained tokens of the micro-batch */
export function trainedOutputs(outputs: Outputs, lossMask: Float32Array): TrainedOutputs {
  const all = Object.entries(outputs);
  const isPerToken = ([, values]: (typeof all)[number]) => values.length === lossMask.length;
  return {
    tokens: Object.fromEntries(
      all
        .filter(isPerToken)
        .map(([name, values]) => [name, values.filter((_, at) => lossMask[at] === 1)] as const),
    ),
    others: Object.fromEntries(all.filter((one) => !isPerToken(one))),
  };
}

/** Returns the outputs with zeros where nothing is trained. */
export function spreadOutputs({ tokens, others }: TrainedOutputs, lossMask: Float32Array): Outputs {
  const spread = Object.entries(tokens).map(([name, values]) => {
    const whole = new Float32Array(lossMask.length);
    let next = 0;
    for (let at = 0; at < whole.length; at++)
      if (lossMask[at] === 1) whole[at] = values[next++] ?? Number.NaN;
    return [name, whole] as const;
  });
  return { ...others, ...Object.fromEntries(spread) };
}
