import { parseInput } from "@palimpsest/std/input";
import { type ModelConfig, modelConfigSchema } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { changesNothing } from "./known-config-fields.js";

/** Architectures by model_type. Mistral without a window computes the same as Llama. */
const architectures = {
  llama: "llama",
  mistral: "llama",
  qwen2: "qwen2",
  qwen3: "qwen3",
} as const;

const classNames = {
  llama: "LlamaForCausalLM",
  mistral: "MistralForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  qwen3: "Qwen3ForCausalLM",
} as const;

/** The names that our fields have in config.json, for error messages. */
const hfNames: Readonly<Record<string, string>> = {
  vocabSize: "vocab_size",
  hiddenSize: "hidden_size",
  layers: "num_hidden_layers",
  heads: "num_attention_heads",
  kvHeads: "num_key_value_heads",
  headDim: "head_dim",
  intermediateSize: "intermediate_size",
  rmsNormEps: "rms_norm_eps",
  tieWordEmbeddings: "tie_word_embeddings",
  maxPositions: "max_position_embeddings",
  ropeTheta: "rope_theta",
  ropeScaling: "rope_parameters",
  "ropeScaling.factor": "rope_parameters.factor",
  "ropeScaling.lowFreqFactor": "rope_parameters.low_freq_factor",
  "ropeScaling.highFreqFactor": "rope_parameters.high_freq_factor",
  "ropeScaling.originalMaxPositions": "rope_parameters.original_max_position_embeddings",
};

/** Known rotary fields. Any other field would change the angles. */
const ropeFields = {
  default: ["rope_theta", "rope_type", "type"],
  llama3: [
    "factor",
    "high_freq_factor",
    "low_freq_factor",
    "original_max_position_embeddings",
    "rope_theta",
    "rope_type",
    "type",
  ],
} as const;

/** The window that transformers uses if a Mistral config.json does not say. */
const mistralWindow = 4096;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a Hugging Face config.json, in the newer form (`rope_parameters`) and the older one
 * (`rope_theta`, `rope_scaling`).
 * @param ignore names of unknown fields that the user says do not change the model
 * @throws {ModelError} CONFIG_INVALID, naming the field that is missing, unknown or unsupported
 */
export function modelConfigFromHf(json: unknown, ignore: readonly string[] = []): ModelConfig {
  if (!isJson(json)) throw new ModelError("CONFIG_INVALID", "config.json: is not a JSON object");
  const config = new HfConfigReader(json);
  const modelType = config.take("model_type");
  const architecture = architectures[modelType as keyof typeof architectures];
  if (architecture === undefined)
    config.refuse("model_type", modelType, "use a model of type llama, mistral, qwen2 or qwen3");
  config.checkClass(classNames[modelType as keyof typeof classNames]);
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
    // The defaults of the other classes are constants that do not depend on the rest of the config.
    kvHeads: config.takeOr("num_key_value_heads", architecture === "llama" ? heads : undefined, heads),
    headDim,
    intermediateSize: config.take("intermediate_size"),
    rmsNormEps: config.take("rms_norm_eps") ?? 1e-6,
    tieWordEmbeddings: config.take("tie_word_embeddings") ?? false,
    maxPositions: config.take("max_position_embeddings"),
    ...rope,
  };
  config.refuseRest(ignore);
  return parseInput(
    modelConfigSchema,
    fields,
    (problem, cause) => new ModelError("CONFIG_INVALID", `config.json: ${problem}`, { cause }),
    { fields: hfNames },
  );
}

/** Returns a config.json that `transformers` loads, in the newer form. */
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
    // Readers that know only the older form read the base from here.
    rope_theta: config.ropeTheta,
    tie_word_embeddings: config.tieWordEmbeddings,
    vocab_size: config.vocabSize,
  };
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Takes fields one by one. At the end, it refuses all fields that were not taken and that may not be ignored. */
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

  /** Returns a field's value; absent and null may mean different things. */
  takeOr(field: string, whenAbsent: unknown, whenNull: unknown): unknown {
    return this.take(field) ?? (field in this.#json ? whenNull : whenAbsent);
  }

  /** Checks the class, because it reveals a head that is not for text, such as a classifier's. */
  checkClass(expected: string): void {
    const names = this.take("architectures") ?? [];
    if (!Array.isArray(names)) this.refuse("architectures", names, "it must be a list of class names");
    else if (names.length > 0 && !names.includes(expected))
      this.refuse("architectures", names, `only ${expected} is supported`);
  }

  /** Requires a value; an absent field counts as `whenAbsent`. */
  require(field: string, whenAbsent: unknown, expected: unknown): void {
    const value = this.take(field) ?? whenAbsent;
    if (value !== expected) this.refuse(field, value, `only ${String(expected)} is supported`);
  }

  refuseWindows(isMistral: boolean): void {
    const used = this.take("use_sliding_window") ?? isMistral;
    const window = this.takeOr("sliding_window", isMistral ? mistralWindow : undefined, undefined);
    if (used && window !== undefined)
      this.refuse("sliding_window", window, "only full attention is supported");
    const layerTypes = this.take("layer_types");
    const other = Array.isArray(layerTypes)
      ? layerTypes.find((type) => type !== "full_attention")
      : undefined;
    if (other !== undefined) this.refuse("layer_types", other, "only full_attention is supported");
  }

  takeRope(): { readonly ropeTheta: unknown; readonly ropeScaling?: unknown } {
    const field = this.take("rope_parameters") === undefined ? "rope_scaling" : "rope_parameters";
    const parameters = this.take(field) ?? {};
    if (!isJson(parameters)) this.refuse(field, parameters, "it must be an object");
    const topTheta = this.take("rope_theta");
    const ropeTheta = parameters["rope_theta"] ?? topTheta ?? 10_000;
    const type = parameters["rope_type"] ?? parameters["type"] ?? "default";
    if (type !== "default" && type !== "llama3")
      this.refuse(`${field}.rope_type`, type, "default and llama3 are supported");
    const known: readonly string[] = ropeFields[type];
    for (const [name, value] of Object.entries(parameters)) {
      if (!known.includes(name) && !changesNothing(name, value))
        this.refuse(`${field}.${name}`, value, `rope type ${type} has no such field`);
    }
    if (type === "default") return { ropeTheta };
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

  refuse(field: string, value: unknown, fix: string): never {
    throw new ModelError("CONFIG_INVALID", `config.json: ${field} is ${JSON.stringify(value)}; ${fix}`);
  }

  refuseRest(ignore: readonly string[]): void {
    const read = ignore.find((field) => this.#taken.has(field));
    if (read !== undefined)
      this.refuse(read, this.#json[read], "this field is known and read, so that it cannot be ignored");
    for (const [field, value] of Object.entries(this.#json)) {
      if (this.#taken.has(field) || ignore.includes(field) || changesNothing(field, value)) continue;
      this.refuse(
        field,
        value,
        `this field is unknown, and ignoring it might give a model that computes something else; if it does not change the model, give --ignore-config ${field}, or model.ignoreConfig: [${field}] in a recipe`,
      );
    }
  }
}
