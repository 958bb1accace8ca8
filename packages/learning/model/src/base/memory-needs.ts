import type { ModelConfig } from "./config.js";
import { parameterCount } from "./parameters.js";

const float32Bytes = 4;

/** Memory of a model in float32, in bytes, without what a pass over a batch needs. */
export interface MemoryNeeds {
  readonly inMemoryBytes: number;
  /** Keys and values of 1,000 tokens of one request. */
  readonly cachePer1000TokensBytes: number;
  /** Weights, their gradient and the optimizer's two moments. */
  readonly fullUpdateBytes: number;
  /** The same plus the reference weights of the KL term. */
  readonly fullUpdateWithReferenceBytes: number;
}

export function memoryNeeds(config: ModelConfig): MemoryNeeds {
  const inMemoryBytes = float32Bytes * parameterCount(config);
  const { layers, kvHeads, headDim } = config;
  return {
    inMemoryBytes,
    cachePer1000TokensBytes: 1000 * 2 * layers * kvHeads * headDim * float32Bytes,
    fullUpdateBytes: 4 * inMemoryBytes,
    fullUpdateWithReferenceBytes: 5 * inMemoryBytes,
  };
}
