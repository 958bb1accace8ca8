import { readFile } from "node:fs/promises";
import { sizeOf, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { type Parameters, parameterShapes } from "../base/parameters.js";
import { modelConfigFromHf } from "../files/hf-config.js";
import { hfTensors } from "../files/hf-layout.js";
import { parametersFromHf } from "../files/hf-weights.js";

/** What bench/peers/model_reference.py has written about one model. */
export interface TransformersCase {
  /** The model's config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  /** log p(token t + 1) of each row of tokens, nats. */
  readonly logprobs: readonly (readonly number[])[];
}

export async function transformersCases(): Promise<Readonly<Record<string, TransformersCase>>> {
  const path = new URL("./transformers-numbers.golden.json", import.meta.url);
  return JSON.parse(await readFile(path, "utf8"));
}

/** The same numbers in [-0.5, 0.5) as `hashed` of that program, for the first `count` elements of a tensor. */
function hashed(name: string, count: number): Float64Array {
  let seed = 0x811c9dc5;
  for (const byte of Buffer.from(name)) seed = Math.imul(seed ^ byte, 0x01000193);
  return Float64Array.from({ length: count }, (_, i) => {
    let x = (seed + Math.imul(i, 0x9e3779b1)) | 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32 - 0.5;
  });
}

/** The weights of a case as the tensors of a checkpoint. */
function weightsOf(config: ModelConfig): Parameters {
  const isGemma = config.architecture === "gemma3";
  const tensors = hfTensors(config).map(({ name, shape }) => {
    const numbers = hashed(name, sizeOf(shape));
    const scale = 4 / Math.sqrt(shape.at(-1) ?? 1);
    const values = Float32Array.from(numbers, (value) => {
      if (name.endsWith("norm.weight")) return isGemma ? value : 1 + value;
      return name.endsWith("bias") ? value * 0.5 : value * scale;
    });
    return [name, { shape, values }] as const;
  });
  return parametersFromHf(config, Object.fromEntries(tensors));
}

export interface Numbers {
  readonly config: ModelConfig;
  readonly weights: Parameters;
  readonly parameters: Readonly<Record<string, tf.Tensor>>;
  readonly ids: number[][];
}

/** The model of a case, and the rows of tokens that its numbers belong to. */
export function numbersOf({ config: json, logprobs }: TransformersCase): Numbers {
  const config = modelConfigFromHf(json);
  const weights = weightsOf(config);
  const shapes = parameterShapes(config);
  const parameters = Object.fromEntries(
    Object.entries(weights).map(([name, values]) => [name, tf.tensor(values, [...(shapes[name] ?? [])])]),
  );
  const length = (logprobs[0]?.length ?? 0) + 1;
  const tokens = hashed("tokens", logprobs.length * length);
  const ids = logprobs.map((_, row) =>
    Array.from({ length }, (_, t) => Math.floor(((tokens[row * length + t] ?? 0) + 0.5) * config.vocabSize)),
  );
  return { config, weights, parameters, ids };
}
