import { parseInput } from "@palimpsest/std/input";
import { architectureOf } from "../base/architecture.js";
import { type ModelConfig, modelConfigSchema, type RopeScaling } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { changesNothing } from "./known-config-fields.js";

/** What config.json says of a model type, and what transformers assumes where it says nothing. */
interface Family {
  readonly architecture: ModelConfig["architecture"];
  readonly className: string;
  /** The field with the activation of the feed-forward, and its only supported value. */
  readonly activation: readonly [field: string, value: string];
  /** Which layers have the window: all; those from `max_window_layers` on; all but each sixth; or none, since it is ignored. */
  readonly windows: "all" | "later" | "most" | "none";
  /** Constants of the class for fields that are absent. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const silu = ["hidden_act", "silu"] as const;
const families = {
  llama: {
    architecture: "llama",
    className: "LlamaForCausalLM",
    activation: silu,
    windows: "none",
    defaults: {},
  },
  mistral: {
    architecture: "llama",
    className: "MistralForCausalLM",
    activation: silu,
    windows: "all",
    defaults: { sliding_window: 4096, use_sliding_window: true },
  },
  qwen2: {
    architecture: "qwen2",
    className: "Qwen2ForCausalLM",
    activation: silu,
    windows: "later",
    defaults: { sliding_window: 4096, max_window_layers: 28 },
  },
  qwen3: {
    architecture: "qwen3",
    className: "Qwen3ForCausalLM",
    activation: silu,
    windows: "later",
    defaults: { sliding_window: 4096, max_window_layers: 28, head_dim: 128 },
  },
  gemma3_text: {
    architecture: "gemma3",
    className: "Gemma3ForCausalLM",
    activation: ["hidden_activation", "gelu_pytorch_tanh"],
    windows: "most",
    defaults: {
      sliding_window: 4096,
      sliding_window_pattern: 6,
      use_sliding_window: true,
      head_dim: 256,
      query_pre_attn_scalar: 256,
      rope_theta: 1_000_000,
      rope_local_base_freq: 10_000,
      tie_word_embeddings: true,
    },
  },
} as const satisfies Record<string, Family>;

type ModelType = keyof typeof families;

/** The rotary fields of each type, with our names for them. Any other field would change the angles. */
const ropeFields = {
  default: {},
  linear: { factor: "factor" },
  dynamic: { factor: "factor" },
  llama3: {
    factor: "factor",
    high_freq_factor: "highFreqFactor",
    low_freq_factor: "lowFreqFactor",
    original_max_position_embeddings: "originalMaxPositions",
  },
  yarn: {
    factor: "factor",
    original_max_position_embeddings: "originalMaxPositions",
    beta_fast: "betaFast",
    beta_slow: "betaSlow",
    truncate: "truncate",
    attention_factor: "attentionFactor",
    mscale: "mscale",
    mscale_all_dim: "mscaleAllDim",
  },
} as const satisfies Record<"default" | RopeScaling["type"], Readonly<Record<string, string>>>;

/** Fields of every type. */
const ropeCommon: readonly string[] = ["rope_theta", "rope_type", "type"];

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
  queryPreAttnScalar: "query_pre_attn_scalar",
  "slidingWindow.size": "sliding_window",
  "slidingWindow.layers": "layer_types",
  "slidingWindow.ropeTheta": "rope_local_base_freq",
  ...Object.fromEntries(
    Object.values(ropeFields).flatMap((fields) =>
      Object.entries(fields).map(([name, own]) => [`ropeScaling.${own}`, `rope_parameters.${name}`]),
    ),
  ),
};

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
  const family = config.takeFamily();
  const { architecture, defaults } = family;
  config.checkClass(family.className);
  config.require(family.activation[0], family.activation[1], family.activation[1]);
  config.require("mlp_bias", false, false);
  const { attentionBias } = architectureOf(family);
  config.require("attention_bias", attentionBias, attentionBias);
  config.require("pretraining_tp", 1, 1);
  config.require("rope_interleaved", false, false);
  config.require("use_mrope", false, false);
  config.require("use_bidirectional_attention", false, false);
  config.require("attn_logit_softcapping", null, null);
  config.require("final_logit_softcapping", null, null);
  const hiddenSize = config.take("hidden_size");
  const heads = config.take("num_attention_heads");
  const layers = config.take("num_hidden_layers");
  const maxPositions = config.take("max_position_embeddings");
  const window = config.takeWindow(family, Number(layers));
  const isGemma = architecture === "gemma3";
  const rope = isGemma
    ? config.takeRopes(defaults, window, maxPositions)
    : { ...config.takeRope(maxPositions), ...(window === undefined ? {} : { slidingWindow: window }) };
  const headDim = config.take("head_dim") ?? defaults["head_dim"] ?? Number(hiddenSize) / Number(heads);
  const scalar = isGemma
    ? (config.take("query_pre_attn_scalar") ?? defaults["query_pre_attn_scalar"])
    : undefined;
  const fields = {
    architecture,
    vocabSize: config.take("vocab_size"),
    hiddenSize,
    layers,
    heads,
    // The defaults of the other classes are constants that do not depend on the rest of the config.
    kvHeads: config.takeOr("num_key_value_heads", architecture === "llama" ? heads : undefined, heads),
    headDim,
    intermediateSize: config.take("intermediate_size"),
    rmsNormEps: config.take("rms_norm_eps") ?? 1e-6,
    tieWordEmbeddings: config.take("tie_word_embeddings") ?? defaults["tie_word_embeddings"] ?? false,
    maxPositions,
    ...(scalar === undefined || scalar === headDim ? {} : { queryPreAttnScalar: scalar }),
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
  const modelType = modelTypeOf(config);
  const { className, activation } = families[modelType];
  const rope = ropeToHf(config);
  return {
    architectures: [className],
    attention_bias: architectureOf(config).attentionBias,
    dtype,
    head_dim: config.headDim,
    [activation[0]]: activation[1],
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    mlp_bias: false,
    model_type: modelType,
    num_attention_heads: config.heads,
    num_hidden_layers: config.layers,
    num_key_value_heads: config.kvHeads,
    rms_norm_eps: config.rmsNormEps,
    rope_parameters: rope,
    // Readers that know only the older form read the base from here.
    rope_theta: config.ropeTheta,
    ...windowToHf(config),
    ...(modelType === "gemma3_text" ? gemmaToHf(config, rope) : {}),
    tie_word_embeddings: config.tieWordEmbeddings,
    vocab_size: config.vocabSize,
  };
}

function isModelType(value: unknown): value is ModelType {
  return typeof value === "string" && Object.hasOwn(families, value);
}

function modelTypeOf({ architecture, slidingWindow }: ModelConfig): ModelType {
  if (architecture === "gemma3") return "gemma3_text";
  return architecture === "llama" && slidingWindow !== undefined ? "mistral" : architecture;
}

function ropeToHf({ ropeScaling, ropeTheta }: Pick<ModelConfig, "ropeScaling" | "ropeTheta">): Json {
  const type = ropeScaling?.type ?? "default";
  const own: Json = ropeScaling ?? {};
  const values = Object.entries(ropeFields[type]).map(([name, field]) => [name, own[field]] as const);
  return {
    ...Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    rope_theta: ropeTheta,
    rope_type: type,
  };
}

function windowToHf({ slidingWindow, layers, architecture }: ModelConfig): Json {
  if (slidingWindow === undefined)
    return architecture === "gemma3" ? layerTypesOf(Array(layers).fill(false)) : {};
  const { size } = slidingWindow;
  if (architecture === "llama") return { sliding_window: size };
  const switches =
    architecture === "gemma3"
      ? {}
      : { max_window_layers: slidingWindow.layers.indexOf(true), use_sliding_window: true };
  return { ...layerTypesOf(slidingWindow.layers), sliding_window: size, ...switches };
}

function layerTypesOf(areLocal: readonly boolean[]): Json {
  return { layer_types: areLocal.map((isLocal) => (isLocal ? "sliding_attention" : "full_attention")) };
}

/** Gemma has rotary fields for each type of layer. */
function gemmaToHf({ slidingWindow, queryPreAttnScalar, headDim }: ModelConfig, rope: Json): Json {
  const local = slidingWindow?.ropeTheta;
  return {
    query_pre_attn_scalar: queryPreAttnScalar ?? headDim,
    rope_parameters: {
      full_attention: rope,
      ...(local === undefined ? {} : { sliding_attention: ropeToHf({ ropeTheta: local }) }),
    },
    ...(local === undefined ? {} : { rope_local_base_freq: local }),
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

  takeFamily(): Family {
    const modelType = this.take("model_type");
    return isModelType(modelType)
      ? families[modelType]
      : this.refuse(
          "model_type",
          modelType,
          "use a model of type llama, mistral, qwen2, qwen3 or gemma3_text",
        );
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

  /** Returns the window and the layers that have it, as in the model's config; undefined: full attention everywhere. */
  takeWindow(
    { windows, defaults, className }: Family,
    layers: number,
  ): { readonly size: unknown; readonly layers: readonly boolean[] } | undefined {
    const isUsed = this.take("use_sliding_window") ?? defaults["use_sliding_window"] ?? false;
    const window = this.takeOr("sliding_window", defaults["sliding_window"], undefined);
    const first = this.take("max_window_layers") ?? defaults["max_window_layers"];
    const pattern = this.take("sliding_window_pattern") ?? defaults["sliding_window_pattern"];
    const types = this.take("layer_types");
    const size = isUsed === true ? window : undefined;
    if (windows === "none") {
      if (size !== undefined) this.refuse("sliding_window", size, `${className} has only full attention`);
      this.#checkTypes(types, ["full_attention"], layers);
      return undefined;
    }
    if (windows === "all" && isUsed !== true && window !== undefined)
      this.refuse("use_sliding_window", isUsed, `${className} ignores it; set sliding_window to null`);
    const isLocal = (layer: number): boolean => {
      if (windows === "all") return true;
      if (windows === "later") return layer >= Number(first);
      return (layer + 1) % Number(pattern) !== 0;
    };
    const supported = size === undefined ? ["full_attention"] : ["full_attention", "sliding_attention"];
    // The class of Mistral ignores the types, so that they must say what it does.
    const possible = windows === "all" ? supported.slice(-1) : supported;
    const given = this.#checkTypes(types, possible, layers);
    if (windows === "most" && size === undefined && given === undefined)
      this.refuse(
        "sliding_window",
        null,
        "give a number of tokens, or layer_types without sliding_attention",
      );
    if (size === undefined) return undefined;
    const areLocal =
      given?.map((type) => type === "sliding_attention") ??
      Array.from({ length: Number.isInteger(layers) && layers > 0 ? layers : 0 }, (_, layer) =>
        isLocal(layer),
      );
    return areLocal.some((local) => local) ? { size, layers: areLocal } : undefined;
  }

  #checkTypes(types: unknown, supported: readonly string[], layers: number): readonly unknown[] | undefined {
    if (types === undefined) return undefined;
    if (!Array.isArray(types) || types.length !== layers)
      this.refuse("layer_types", types, `it must be a list of ${layers}, one for each layer`);
    const other = types.find((type) => !supported.includes(type));
    if (other !== undefined)
      this.refuse(
        "layer_types",
        other,
        `only ${supported.join(" and ")} is supported with this sliding_window`,
      );
    return types;
  }

  /** Takes the rotary fields of a model whose layers are rotated alike. */
  takeRope(maxPositions: unknown): { readonly ropeTheta: unknown; readonly ropeScaling?: unknown } {
    const field = this.take("rope_parameters") === undefined ? "rope_scaling" : "rope_parameters";
    return this.#ropeOf(this.take(field), field, this.take("rope_theta") ?? 10_000, maxPositions);
  }

  /** Takes those of a model whose layers with a window have their own; scaling applies to the others only. */
  takeRopes(
    defaults: Family["defaults"],
    window: { readonly size: unknown; readonly layers: readonly boolean[] } | undefined,
    maxPositions: unknown,
  ): { readonly ropeTheta: unknown; readonly ropeScaling?: unknown; readonly slidingWindow?: unknown } {
    const parameters = this.take("rope_parameters") ?? {};
    if (!isJson(parameters)) this.refuse("rope_parameters", parameters, "it must be an object");
    const { full_attention: full, sliding_attention: sliding, ...rest } = parameters;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined)
      this.refuse(
        `rope_parameters.${unknown}`,
        rest[unknown],
        "its fields must be in full_attention and sliding_attention",
      );
    const older = this.take("rope_scaling");
    const [own, field] =
      full === undefined ? [older, "rope_scaling"] : [full, "rope_parameters.full_attention"];
    const topTheta = this.take("rope_theta") ?? defaults["rope_theta"];
    const localTheta = this.take("rope_local_base_freq") ?? defaults["rope_local_base_freq"];
    const at = "rope_parameters.sliding_attention";
    const local = this.#ropeOf(sliding, at, localTheta, maxPositions);
    if (local.ropeScaling !== undefined)
      this.refuse(`${at}.rope_type`, local.ropeScaling["type"], "only default is supported for these layers");
    return {
      ...this.#ropeOf(own, field, topTheta, maxPositions),
      ...(window === undefined ? {} : { slidingWindow: { ...window, ropeTheta: local.ropeTheta } }),
    };
  }

  #ropeOf(
    given: unknown,
    field: string,
    topTheta: unknown,
    maxPositions: unknown,
  ): { readonly ropeTheta: unknown; readonly ropeScaling?: Json } {
    const parameters = given ?? {};
    if (!isJson(parameters)) this.refuse(field, parameters, "it must be an object");
    const ropeTheta = parameters["rope_theta"] ?? topTheta;
    const type = parameters["rope_type"] ?? parameters["type"] ?? "default";
    if (typeof type !== "string" || !Object.hasOwn(ropeFields, type))
      this.refuse(`${field}.rope_type`, type, `${Object.keys(ropeFields).join(", ")} are supported`);
    const fields: Readonly<Record<string, string>> = ropeFields[type as keyof typeof ropeFields];
    for (const [name, value] of Object.entries(parameters)) {
      if (!ropeCommon.includes(name) && !Object.hasOwn(fields, name) && !changesNothing(name, value))
        this.refuse(`${field}.${name}`, value, `rope type ${type} has no such field`);
    }
    if (type === "default") return { ropeTheta };
    const values = Object.entries(fields).map(([name, own]) => [own, parameters[name] ?? undefined] as const);
    const scaling = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    const withOriginal =
      "original_max_position_embeddings" in fields ? { originalMaxPositions: maxPositions } : {};
    return { ropeTheta, ropeScaling: { type, ...withOriginal, ...scaling } };
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
