import type { tf } from "@palimpsest/jit";
import { embeddingScale } from "../base/architecture.js";
import type { ModelConfig } from "../base/config.js";

/** The first layer's input. @param embedded float32 [N, D], rows of the embedding */
export function scaledEmbedding(embedded: tf.Tensor, config: ModelConfig): tf.Tensor {
  const scale = embeddingScale(config);
  return scale === undefined ? embedded : embedded.mul(scale);
}
