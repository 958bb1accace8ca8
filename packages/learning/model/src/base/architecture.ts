import type { ModelConfig } from "./config.js";
import { ModelError } from "./error.js";

/** How decoder-only transformers differ, apart from their sizes. */
export interface Architecture {
  /** Whether queries, keys and values have biases. */
  readonly attentionBias: boolean;
  /** Whether each query and key head is normalized by an RMSNorm before it is rotated. */
  readonly headNorm: boolean;
  /** Whether what attention and the feed-forward add to the residual stream is normalized first. */
  readonly outputNorms: boolean;
  /** The activation of the feed-forward's gate, as coefficients (see `gatedUnit`). */
  readonly gate: GateActivation;
  /** Whether a token's embedding is multiplied by √hiddenSize before the first layer; the head is not. */
  readonly scaledEmbedding: boolean;
}

/** The activation x · σ(linear · x + cubic · x³). */
export interface GateActivation {
  readonly linear: number;
  readonly cubic: number;
}

const silu: GateActivation = { linear: 1, cubic: 0 };

/** gelu(x) ≈ x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), because (1 + tanh(z)) / 2 = σ(2z). */
const geluTanh: GateActivation = {
  linear: 2 * Math.sqrt(2 / Math.PI),
  cubic: 0.044715 * 2 * Math.sqrt(2 / Math.PI),
};

const plain: Architecture = {
  attentionBias: false,
  headNorm: false,
  outputNorms: false,
  gate: silu,
  scaledEmbedding: false,
};

const architectures: Readonly<Record<ModelConfig["architecture"], Architecture>> = {
  llama: plain,
  qwen2: { ...plain, attentionBias: true },
  qwen3: { ...plain, headNorm: true },
  gemma3: { ...plain, headNorm: true, outputNorms: true, gate: geluTanh, scaledEmbedding: true },
};

/** @throws {ModelError} CONFIG_INVALID for a config that nobody has read */
export function architectureOf({ architecture }: Pick<ModelConfig, "architecture">): Architecture {
  if (Object.hasOwn(architectures, architecture)) return architectures[architecture];
  throw new ModelError(
    "CONFIG_INVALID",
    `architecture: is ${String(architecture)}; give ${Object.keys(architectures).join(", ")}`,
  );
}

/**
 * The factor on the embeddings of a model's tokens; undefined: none. It is rounded to float32, the type of the weights, as
 * transformers rounds it to the type in which it has loaded the weights.
 */
export function embeddingScale(config: ModelConfig): number | undefined {
  return architectureOf(config).scaledEmbedding ? Math.fround(Math.sqrt(config.hiddenSize)) : undefined;
}

/** The factor on the scores of attention. */
export function scoreScale({ queryPreAttnScalar, headDim }: ModelConfig): number {
  return 1 / Math.sqrt(queryPreAttnScalar ?? headDim);
}
