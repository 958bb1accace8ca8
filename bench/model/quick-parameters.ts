import {
  initParameters,
  type ModelConfig,
  parameterCount,
  parameterShapes,
} from "../../packages/learning/model/src/index.js";

/** Above this many parameters, drawing each of them would take longer than the measurement. */
const DRAWN = 20_000_000;
const BLOCK = 2 ** 20;

/**
 * Returns weights that are as good as random for the arithmetic: freshly initialized ones for a small model, else one
 * random block repeated.
 */
export function quickParameters(model: ModelConfig): Record<string, Float32Array> {
  if (parameterCount(model) <= DRAWN) return initParameters(model, 1);
  let seed = 1;
  const block = Float32Array.from({ length: BLOCK }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.06 * (seed / 2 ** 32 - 0.5); // the standard deviation is 0.017
  });
  const entries = Object.entries(parameterShapes(model)).map(([name, shape]) => {
    const values = new Float32Array(shape.reduce((product, dimension) => product * dimension, 1));
    if (name.endsWith("Norm")) return [name, values.fill(1)] as const;
    for (let at = 0; at < values.length; at += BLOCK) values.set(block.subarray(0, values.length - at), at);
    return [name, values] as const;
  });
  return Object.fromEntries(entries);
}
