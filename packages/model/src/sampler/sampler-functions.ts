import type { JitFunction, TensorSpec, Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { decodeSteps } from "./decode-steps.js";
import { drawTokens } from "./draw.js";
import { type CacheShape, cacheState, readCache, writeCache } from "./kv-cache.js";
import { named, nextLogits, part } from "./packed-layers.js";
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
 * Reads prompts and samples their first `steps` tokens, so that a short answer takes one call.
 * Inputs: ids int32 [R, P] right-padded; lengths int32 [R] ≥ 1; slots int32 [R]; uniforms float32 [steps, R];
 * temperature float32 [R]. Outputs: tokens int32 [steps, R]; logprobs float32 [steps, R], nats.
 */
export function startFunction(
  config: ModelConfig,
  cache: CacheShape,
  rows: number,
  length: number,
  steps: number,
): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const [lengths, slots, uniforms, temperature] = pick(inputs, [
      "lengths",
      "slots",
      "uniforms",
      "temperature",
    ]);
    const prompt = promptPass(state, named(inputs, "ids"), lengths, config);
    const first = drawTokens(
      nextLogits(state, prompt.last, config),
      part(uniforms, 0, 0, 1).reshape([rows]),
      temperature,
    );
    const read = writeCache(state, prompt.memory, slots, tf.scalar(0, "int32"));
    if (steps === 1) return { outputs: stacked([first.tokens], [first.logprobs]), state: read };
    const rest = decodeSteps(
      state,
      {
        ids: first.tokens,
        positions: lengths,
        past: prompt.memory,
        uniforms: part(uniforms, 0, 1, steps - 1),
        temperature,
      },
      steps - 1,
      cache.cacheLength,
      config,
    );
    return {
      outputs: stacked([first.tokens, ...rest.tokens], [first.logprobs, ...rest.logprobs]),
      state: writeCache({ ...state, ...read }, rest.memory, slots, lengths),
    };
  };
  return {
    inputs: {
      ids: int32([rows, length]),
      lengths: int32([rows]),
      slots: int32([rows]),
      uniforms: float32([steps, rows]),
      temperature: float32([rows]),
    },
    body,
  };
}

/**
 * Samples the next `steps` tokens of the first `rows` slots.
 * Inputs: ids int32 [S], each slot's last token; positions int32 [S], its position; slots int32 [S], where the
 * row's entries are written (its own number, or the spare slot when it is idle); uniforms float32 [steps, S];
 * temperature float32 [S]. Outputs as of the start function.
 */
export function continueFunction(
  config: ModelConfig,
  cache: CacheShape,
  rows: number,
  steps: number,
): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const [ids, positions, slots, uniforms] = pick(inputs, ["ids", "positions", "slots", "uniforms"]);
    const temperature = named(inputs, "temperature");
    const past = readCache(state, config, rows);
    const start = { ids, positions, past, uniforms, temperature };
    const decoded = decodeSteps(state, start, steps, cache.cacheLength, config);
    return {
      outputs: stacked(decoded.tokens, decoded.logprobs),
      state: writeCache(state, decoded.memory, slots, positions),
    };
  };
  return {
    inputs: {
      ids: int32([rows]),
      positions: int32([rows]),
      slots: int32([rows]),
      uniforms: float32([steps, rows]),
      temperature: float32([rows]),
    },
    body,
  };
}

function stacked(tokens: readonly tf.Tensor[], logprobs: readonly tf.Tensor[]): Tensors {
  return { tokens: tf.stack([...tokens]), logprobs: tf.stack([...logprobs]) };
}

function pick(
  tensors: Tensors,
  names: readonly [string, string, string, string],
): [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor] {
  const [a, b, c, d] = names;
  return [named(tensors, a), named(tensors, b), named(tensors, c), named(tensors, d)];
}

function int32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "int32" };
}

function float32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "float32" };
}
