import type { JitFunction, TensorSpec, Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { decodeSteps } from "./decode-steps.js";
import { drawTokens } from "./draw.js";
import { type CacheShape, cacheState, readCache, writeCache } from "./kv-cache.js";
import { named, nextLogits } from "./packed-layers.js";
import { packedShapes } from "./packed-weights.js";
import { promptPass } from "./prompt-pass.js";

/** Weights and cache: what the functions of one sampler share. */
export function samplerState(config: ModelConfig, cache: CacheShape): Record<string, TensorSpec> {
  const weights = Object.entries(packedShapes(config)).map(
    ([name, shape]) => [name, float32(shape)] as const,
  );
  return { ...Object.fromEntries(weights), ...cacheState(config, cache) };
}

/**
 * Reads prompts and samples the token after each.
 * Inputs: ids int32 [R, P] right-padded; lengths int32 [R] ≥ 1; slots int32 [R]; uniforms float32 [1, R];
 * inverseTemperature float32 [R]. Outputs: tokens int32 [1, R]; logprobs float32 [1, R], nats.
 */
export function startFunction(config: ModelConfig, rows: number, length: number): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const prompt = promptPass(state, named(inputs, "ids"), named(inputs, "lengths"), config);
    const logits = nextLogits(state, prompt.last, config);
    const uniforms = named(inputs, "uniforms").reshape([rows]);
    const { tokens, logprobs } = drawTokens(logits, uniforms, named(inputs, "inverseTemperature"));
    return {
      outputs: { tokens: tokens.reshape([1, rows]), logprobs: logprobs.reshape([1, rows]) },
      state: writeCache(state, prompt.memory, named(inputs, "slots"), tf.scalar(0, "int32")),
    };
  };
  return { inputs: { ids: int32([rows, length]), lengths: int32([rows]), ...rowInputs(rows, 1) }, body };
}

/**
 * Samples the next `steps` tokens of requests that were started.
 * Inputs: ids int32 [R], each row's last token; positions int32 [R], its position; slots int32 [R], no slot
 * twice but the spare one; uniforms float32 [steps, R]; inverseTemperature float32 [R].
 * Outputs: tokens int32 [steps, R]; logprobs float32 [steps, R], nats.
 */
export function continueFunction(
  config: ModelConfig,
  cache: CacheShape,
  rows: number,
  steps: number,
): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const slots = named(inputs, "slots");
    const positions = named(inputs, "positions");
    const start = {
      ids: named(inputs, "ids"),
      positions,
      past: readCache(state, slots, config),
      uniforms: named(inputs, "uniforms"),
      inverseTemperature: named(inputs, "inverseTemperature"),
    };
    const { tokens, logprobs, memory } = decodeSteps(state, start, steps, cache.cacheLength, config);
    return {
      outputs: { tokens: tf.stack([...tokens]), logprobs: tf.stack([...logprobs]) },
      state: writeCache(state, memory, slots, positions),
    };
  };
  return { inputs: { ids: int32([rows]), positions: int32([rows]), ...rowInputs(rows, steps) }, body };
}

/** What both functions take for each row. */
function rowInputs(rows: number, steps: number): Record<string, TensorSpec> {
  return { slots: int32([rows]), uniforms: float32([steps, rows]), inverseTemperature: float32([rows]) };
}

function int32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "int32" };
}

function float32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "float32" };
}
