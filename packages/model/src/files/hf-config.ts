import { type ModelConfig, parseModelConfig } from "../config.js";
import { ModelError } from "../error.js";

/** Fields of a Hugging Face config.json that do not change what the model computes. */
const ignored = new Set([
  "_name_or_path",
  "_attn_implementation",
  "attention_dropout",
  "auto_map",
  "bos_token_id",
  "dtype",
  "eos_token_id",
  "initializer_range",
  "is_llama_config",
  "max_window_layers",
  "pad_token_id",
  "torch_dtype",
  "transformers.js_config",
  "transformers_version",
  "unk_token_id",
  "use_cache",
]);

/** Architecture class names by model_type. Mistral without a window computes what Llama does. */
const architectures = {
  llama: "llama",
  mistral: "llama",
  qwen2: "qwen2",
  qwen3: "qwen3",
} as const;

const classNames = {
  llama: "LlamaForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  qwen3: "Qwen3ForCausalLM",
} as const;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a Hugging Face config.json, in the newer form (`rope_parameters`) and the older one
 * (`rope_theta`, `rope_scaling`).
 * @throws {ModelError} CONFIG_INVALID, naming the field that is missing, unknown or unsupported
 */
export function modelConfigFromHf(json: unknown): ModelConfig {
  if (typeof json !== "object" || json === null) {
    throw new ModelError("CONFIG_INVALID", "config.json: expected an object");
  }
  const config = new HfConfigReader(json as Json);
  const modelType = config.take("model_type");
  const architecture = architectures[modelType as keyof typeof architectures];
  if (architecture === undefined)
    config.refuse("model_type", modelType, "llama, mistral, qwen2 and qwen3 are known");
  config.take("architectures");
  config.require("hidden_act", "silu", "silu");
  config.require("mlp_bias", false, false);
  if (architecture === "qwen2") config.require("attention_bias", true, true);
  else config.require("attention_bias", false, false);
  config.require("pretraining_tp", 1, 1);
  config.require("rope_interleaved", false, false);
  config.require("use_mrope", false, false);
  config.refuseWindows(modelType === "mistral");
  const rope = config.takeRope();
  const hiddenSize = config.take("hidden_size");
  const heads = config.take("num_attention_heads");
  const headDim =
    config.take("head_dim") ?? (architecture === "qwen3" ? 128 : Number(hiddenSize) / Number(heads));
  const fields = {
    architecture,
    vocabSize: config.take("vocab_size"),
    hiddenSize,
    layers: config.take("num_hidden_layers"),
    heads,
    kvHeads: config.take("num_key_value_heads") ?? heads,
    headDim,
    intermediateSize: config.take("intermediate_size"),
    rmsNormEps: config.take("rms_norm_eps") ?? 1e-6,
    tieWordEmbeddings: config.take("tie_word_embeddings") ?? false,
    maxPositions: config.take("max_position_embeddings"),
    ...rope,
  };
  config.refuseRest();
  return parseModelConfig(fields);
}

/** The config.json that `transformers` loads, in the newer form. */
export function modelConfigToHf(
  config: ModelConfig,
  dtype: "float32" | "bfloat16" = "float32",
): Record<string, unknown> {
  const { ropeScaling } = config;
  const rope =
    ropeScaling === undefined
      ? { rope_theta: config.ropeTheta, rope_type: "default" }
      : {
          factor: ropeScaling.factor,
          high_freq_factor: ropeScaling.highFreqFactor,
          low_freq_factor: ropeScaling.lowFreqFactor,
          original_max_position_embeddings: ropeScaling.originalMaxPositions,
          rope_theta: config.ropeTheta,
          rope_type: "llama3",
        };
  return {
    architectures: [classNames[config.architecture]],
    attention_bias: config.architecture === "qwen2",
    dtype,
    head_dim: config.headDim,
    hidden_act: "silu",
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    mlp_bias: false,
    model_type: config.architecture,
    num_attention_heads: config.heads,
    num_hidden_layers: config.layers,
    num_key_value_heads: config.kvHeads,
    rms_norm_eps: config.rmsNormEps,
    rope_parameters: rope,
    // Readers that know only the older form take the base from here.
    rope_theta: config.ropeTheta,
    tie_word_embeddings: config.tieWordEmbeddings,
    vocab_size: config.vocabSize,
  };
}

/** Takes fields one by one; what nobody took and nobody may ignore is refused at the end. */
class HfConfigReader {
  readonly #json: Json;
  readonly #taken = new Set<string>();

  constructor(json: Json) {
    this.#json = json;
  }

  take(field: string): unknown {
    this.#taken.add(field);
    return this.#json[field] ?? undefined;
  }

  /** Absent counts as `whenAbsent`. */
  require(field: string, whenAbsent: unknown, expected: unknown): void {
    const value = this.take(field) ?? whenAbsent;
    if (value !== expected) this.refuse(field, value, `only ${String(expected)} is supported`);
  }

  refuseWindows(windowWithoutSwitch: boolean): void {
    const useWindow = this.take("use_sliding_window") ?? windowWithoutSwitch;
    const window = this.take("sliding_window");
    if (useWindow && window !== undefined)
      this.refuse("sliding_window", window, "only full attention is supported");
    const layerTypes = this.take("layer_types");
    const other = Array.isArray(layerTypes)
      ? layerTypes.find((type) => type !== "full_attention")
      : undefined;
    if (other !== undefined) this.refuse("layer_types", other, "only full_attention is supported");
  }

  takeRope(): { readonly ropeTheta: unknown; readonly ropeScaling?: unknown } {
    const parameters = (this.take("rope_parameters") ?? this.take("rope_scaling")) as Json | undefined;
    const ropeTheta = parameters?.["rope_theta"] ?? this.take("rope_theta") ?? 10_000;
    this.take("rope_theta");
    this.take("rope_scaling");
    const type = parameters?.["rope_type"] ?? parameters?.["type"] ?? "default";
    if (parameters === undefined || type === "default") return { ropeTheta };
    if (type !== "llama3") this.refuse("rope_parameters.rope_type", type, "default and llama3 are supported");
    return {
      ropeTheta,
      ropeScaling: {
        factor: parameters["factor"],
        lowFreqFactor: parameters["low_freq_factor"],
        highFreqFactor: parameters["high_freq_factor"],
        originalMaxPositions: parameters["original_max_position_embeddings"],
      },
    };
  }

  refuse(field: string, value: unknown, mend: string): never {
    throw new ModelError("CONFIG_INVALID", `config.json: ${field} is ${JSON.stringify(value)}; ${mend}`);
  }

  refuseRest(): void {
    for (const [field, value] of Object.entries(this.#json)) {
      if (this.#taken.has(field) || ignored.has(field) || value === null) continue;
      this.refuse(field, value, "this field is not known, so the model might compute something else");
    }
  }
}
