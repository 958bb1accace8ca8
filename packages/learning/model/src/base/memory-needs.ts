import type { ModelConfig } from "./config.js";
import { parameterCount } from "./parameters.js";

const float32Bytes = 4;
/** Node.js, TensorFlow and what a pass over a prompt needs. */
const processBytes = 5e8;

/** Memory of a model in float32, in bytes, without what a pass over a batch needs. */
export interface MemoryNeeds {
  readonly inMemoryBytes: number;
  /** Keys and values of 1,000 tokens of one request. */
  readonly cachePer1000TokensBytes: number;
  /**
   * Peak of a process that samples one request of 4,096 tokens on a CPU with a copy of the weights in int8, to within
   * a fifth; measured for 135 and 630 million parameters.
   */
  readonly samplingInt8Bytes: number;
  /** The same with the copy in float32. */
  readonly samplingFloat32Bytes: number;
  /** Weights, their gradient and the optimizer's two moments. */
  readonly fullUpdateBytes: number;
  /** The same plus the reference weights of the KL term. */
  readonly fullUpdateWithReferenceBytes: number;
}

export function memoryNeeds(config: ModelConfig): MemoryNeeds {
  const inMemoryBytes = float32Bytes * parameterCount(config);
  const { layers, kvHeads, headDim } = config;
  const cachePer1000TokensBytes = 1000 * 2 * layers * kvHeads * headDim * float32Bytes;
  // While a model is loaded its weights are there as they were read and as TensorFlow's; a request that runs alone has
  // its own copy of them, and of keys and values.
  const sampling = processBytes + 2 * inMemoryBytes + 2 * 4.096 * cachePer1000TokensBytes;
  return {
    inMemoryBytes,
    cachePer1000TokensBytes,
    samplingInt8Bytes: Math.ceil(sampling + inMemoryBytes / float32Bytes),
    samplingFloat32Bytes: Math.ceil(sampling + inMemoryBytes),
    fullUpdateBytes: 4 * inMemoryBytes,
    fullUpdateWithReferenceBytes: 5 * inMemoryBytes,
  };
}
