import type { ModelConfig } from "./config.js";
import { parameterCount } from "./parameters.js";

const float32Bytes = 4;

/** What a model takes in memory as float32, bytes; what a pass over a batch needs besides is not in it. */
export interface MemoryNeeds {
  readonly inMemoryBytes: number;
  /** Keys and values of 1,000 tokens of one request. */
  readonly cachePer1000TokensBytes: number;
  /** Weights, their gradient and the optimizer's two moments. */
  readonly fullUpdateBytes: number;
  /** The same beside the weights that the KL term compares with. */
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
