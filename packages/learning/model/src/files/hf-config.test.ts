import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseModelConfig } from "../base/config.js";
import { parameterCount } from "../base/parameters.js";
import { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
import { aConfig } from "./model.fixture.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const published = `${shared}/data/tokenizers`;
const present = existsSync(published);
if (!present) process.stderr.write(`skipped: no configs at ${published} (PALIMPSEST_SHARED moves it)\n`);

describe.skipIf(!present)("a published config.json", () => {
  it.each([
    [
      "qwen2.5/config.qwen2.5-0.5b-instruct.json",
      { architecture: "qwen2", layers: 24, kvHeads: 2, headDim: 64 },
      494,
    ],
    [
      "qwen2.5/config.qwen2.5-3b-instruct.RECONSTRUCTED.json",
      { architecture: "qwen2", layers: 36, kvHeads: 2, headDim: 128 },
      3_086,
    ],
    [
      "qwen2.5/config.qwen2.5-7b-instruct.json",
      { architecture: "qwen2", layers: 28, kvHeads: 4, tieWordEmbeddings: false },
      7_616,
    ],
    [
      "qwen3/config.qwen3-0.6b.RECONSTRUCTED.json",
      { architecture: "qwen3", layers: 28, kvHeads: 8, headDim: 128 },
      596,
    ],
    ["qwen3/config.qwen3-4b.json", { architecture: "qwen3", layers: 36, kvHeads: 8, headDim: 128 }, 4_022],
  ])("is read: %s", async (file, expected, millions) => {
    const config = modelConfigFromHf(JSON.parse(await readFile(`${published}/${file}`, "utf8")));
    expect(config).toMatchObject({ ...expected, ropeTheta: 1e6, rmsNormEps: 1e-6 });
    // The sizes that these models are published with.
    expect(Math.round(parameterCount(config) / 1e6)).toBe(millions);
  });
});

describe("config.json", () => {
  const json = () => modelConfigToHf(aConfig({ ropeTheta: 1e6 }));
  const llama3 = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 64 };

  it("comes back as it was written, for every architecture", () => {
    const numbers = { factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositions: 16 };
    const ropeScaling = { type: "llama3", ...numbers } as const;
    for (const architecture of ["llama", "qwen2", "qwen3", "gemma3"] as const) {
      const config = aConfig({ architecture, ropeScaling, tieWordEmbeddings: true });
      expect(modelConfigFromHf(modelConfigToHf(config, "bfloat16"))).toEqual(config);
      // Checkpoints were written without the type as long as there was one.
      expect(parseModelConfig({ ...config, ropeScaling: numbers })).toEqual(config);
    }
  });

  it("is read in the older form of the rotary fields too", () => {
    const { rope_parameters: _, ...older } = json();
    expect(modelConfigFromHf(older).ropeTheta).toBe(1e6);
    expect(modelConfigFromHf({ ...older, rope_scaling: { type: "llama3", ...llama3 } })).toMatchObject({
      ropeTheta: 1e6,
      ropeScaling: { factor: 8, highFreqFactor: 4 },
    });
  });

  it("of a Mistral is a Llama's, with a window in all layers", () => {
    const mistral = { ...json(), model_type: "mistral", architectures: ["MistralForCausalLM"] };
    expect(modelConfigFromHf({ ...mistral, sliding_window: null })).toEqual(modelConfigFromHf(json()));
    expect(modelConfigFromHf({ ...mistral, sliding_window: 20 })).toMatchObject({
      architecture: "llama",
      slidingWindow: { size: 20, layers: [true, true] },
    });
    // Saying nothing means 4096 to transformers.
    expect(modelConfigFromHf(mistral).slidingWindow?.size).toBe(4096);
    expect(() => modelConfigFromHf({ ...mistral, use_sliding_window: false })).toThrow(
      /use_sliding_window is false; MistralForCausalLM ignores it; set sliding_window to null/,
    );
    const mixed = { ...mistral, layer_types: ["full_attention", "sliding_attention"] };
    expect(() => modelConfigFromHf(mixed)).toThrow(
      /layer_types is "full_attention"; only sliding_attention is supported with this sliding_window/,
    );
  });

  it("of a Llama is refused with a window that is switched on", () => {
    const windowed = { ...json(), sliding_window: 20 };
    expect(modelConfigFromHf(windowed)).toEqual(modelConfigFromHf(json()));
    expect(() => modelConfigFromHf({ ...windowed, use_sliding_window: true })).toThrow(
      /sliding_window is 20; LlamaForCausalLM has only full attention/,
    );
  });

  it("of a Qwen may name a window that a switch turns off, or the layers that have it", () => {
    const qwen = { ...modelConfigToHf(aConfig({ architecture: "qwen2" })), sliding_window: 20 };
    const windowOf = (fields: object) => modelConfigFromHf({ ...qwen, ...fields }).slidingWindow;
    expect(windowOf({})).toBeUndefined();
    expect(windowOf({ use_sliding_window: false, max_window_layers: 0 })).toBeUndefined();
    expect(windowOf({ use_sliding_window: true })).toBeUndefined(); // From layer 28 on.
    expect(
      windowOf({ use_sliding_window: true, sliding_window: null, max_window_layers: 0 }),
    ).toBeUndefined();
    const later = { size: 20, layers: [false, true] };
    expect(windowOf({ use_sliding_window: true, max_window_layers: 1 })).toEqual(later);
    const layer_types = ["full_attention", "sliding_attention"];
    expect(windowOf({ use_sliding_window: true, layer_types })).toEqual(later);
    expect(() => windowOf({ layer_types })).toThrow(
      /layer_types is "sliding_attention"; only full_attention/,
    );
    expect(() => windowOf({ layer_types: layer_types.slice(1) })).toThrow(/must be a list of 2/);
  });

  it.each([
    // The fields of the published files that determine the model; 1B's is of the older form.
    [
      268,
      {
        hidden_size: 640,
        intermediate_size: 2048,
        num_hidden_layers: 18,
        layer_types: Array.from({ length: 18 }, (_, i) =>
          i % 6 === 5 ? "full_attention" : "sliding_attention",
        ),
        _sliding_window_pattern: 6,
        use_bidirectional_attention: false,
      },
    ],
    [
      1000,
      {
        hidden_size: 1152,
        intermediate_size: 6912,
        num_hidden_layers: 26,
        sliding_window_pattern: 6,
        cache_implementation: "hybrid",
      },
    ],
  ])("of a Gemma 3 of %i million parameters is read", (millions, sizes) => {
    const config = modelConfigFromHf({
      architectures: ["Gemma3ForCausalLM"],
      attention_bias: false,
      attention_dropout: 0,
      attn_logit_softcapping: null,
      final_logit_softcapping: null,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 32_768,
      model_type: "gemma3_text",
      num_attention_heads: 4,
      num_key_value_heads: 1,
      query_pre_attn_scalar: 256,
      rms_norm_eps: 1e-6,
      rope_local_base_freq: 10_000,
      rope_scaling: null,
      rope_theta: 1_000_000,
      sliding_window: 512,
      vocab_size: 262_144,
      ...sizes,
    });
    expect(Math.round(parameterCount(config) / 1e6)).toBe(millions);
    expect(config).toMatchObject({
      tieWordEmbeddings: true,
      ropeTheta: 1e6,
      slidingWindow: { ropeTheta: 1e4 },
    });
    expect(config.slidingWindow?.layers.flatMap((isLocal, layer) => (isLocal ? [] : layer))).toEqual(
      [5, 11, 17, 23].filter((layer) => layer < config.layers),
    );
  });

  it("of a Gemma has a rotary embedding for each type of layer, in the older form too", () => {
    const ropeScaling = { type: "linear", factor: 8 } as const;
    const slidingWindow = { size: 20, layers: [true, false], ropeTheta: 1e4 };
    const config = aConfig({
      architecture: "gemma3",
      ropeTheta: 1e6,
      ropeScaling,
      slidingWindow,
      queryPreAttnScalar: 7,
    });
    const written = modelConfigToHf(config);
    expect(modelConfigFromHf(written)).toEqual(config);
    const { rope_parameters: _, ...older } = written;
    const pattern = { ...older, layer_types: null, sliding_window_pattern: 2 };
    const scaled = { rope_scaling: { rope_type: "linear", factor: 8 } };
    expect(modelConfigFromHf({ ...older, ...scaled })).toEqual(config);
    expect(modelConfigFromHf({ ...pattern, ...scaled })).toEqual(config);
    const { query_pre_attn_scalar: ___, tie_word_embeddings: ____, ...silent } = written;
    expect(modelConfigFromHf(silent)).toMatchObject({ queryPreAttnScalar: 256, tieWordEmbeddings: true });
  });

  it.each([
    ["final_logit_softcapping", 30, /final_logit_softcapping is 30; only null is supported/],
    ["attn_logit_softcapping", 50, /attn_logit_softcapping is 50; only null is supported/],
    ["use_bidirectional_attention", true, /use_bidirectional_attention is true/],
    ["hidden_activation", "silu", /hidden_activation is "silu"; only gelu_pytorch_tanh/],
    ["sliding_window", null, /sliding_window is null; give a number of tokens/],
    [
      "rope_parameters",
      { rope_type: "default" },
      /rope_parameters\.rope_type is "default"; its fields must be in/,
    ],
    [
      "rope_parameters",
      { sliding_attention: { rope_type: "linear", factor: 2 } },
      /rope_parameters\.sliding_attention\.rope_type is "linear"; only default/,
    ],
  ])("of a Gemma is refused by name when %s is %j", (field, value, message) => {
    const { layer_types: _, ...gemma } = modelConfigToHf(aConfig({ architecture: "gemma3" }));
    expect(() => modelConfigFromHf({ ...gemma, [field]: value })).toThrow(message);
  });

  it.each([
    [
      "model_type",
      "mamba",
      /model_type is "mamba"; use a model of type llama, mistral, qwen2, qwen3 or gemma3_text/,
    ],
    ["architectures", ["LlamaForSequenceClassification"], /architectures.*only LlamaForCausalLM/],
    ["hidden_act", "gelu", /hidden_act is "gelu"/],
    ["mlp_bias", true, /mlp_bias is true/],
    ["attention_bias", true, /attention_bias is true/],
    [
      "rope_parameters",
      { rope_type: "longrope", factor: 2 },
      /rope_parameters\.rope_type is "longrope"; default, linear, dynamic, llama3, yarn are supported/,
    ],
    ["rope_parameters", { rope_type: "yarn" }, /rope_parameters\.factor: must be a number; it is missing/],
    [
      "rope_parameters",
      { rope_type: "dynamic", factor: 2, original_max_position_embeddings: 8 },
      /rope_parameters\.original_max_position_embeddings is 8; rope type dynamic has no such field/,
    ],
    ["rope_parameters", { rope_type: "linear", factor: 0 }, /rope_parameters\.factor: .*; it is 0/],
    [
      "rope_parameters",
      { rope_theta: 1, partial_rotary_factor: 0.5 },
      /rope_parameters\.partial_rotary_factor/,
    ],
    [
      "rope_parameters",
      { rope_type: "llama3", factor: 8 },
      /rope_parameters\.low_freq_factor: must be a number; it is missing/,
    ],
    ["rope_parameters", "llama3", /rope_parameters is "llama3"/],
    ["num_key_value_heads", 3, /num_key_value_heads: .*; it is 3/],
    ["vocab_size", undefined, /vocab_size: must be a number; it is missing/],
    ["hidden_size", "big", /hidden_size: must be a number; it is "big"/],
    ["num_experts", 8, /num_experts is 8; .*give --ignore-config num_experts, or model\.ignoreConfig/],
    ["logit_scale", 0.5, /logit_scale is 0\.5/],
    ["final_logit_softcapping", 30, /final_logit_softcapping is 30/],
    ["partial_rotary_factor", 0.5, /partial_rotary_factor is 0\.5/],
    ["pruned_heads", { 0: [1] }, /pruned_heads is/],
    ["is_causal", false, /is_causal is false/],
    ["is_encoder_decoder", true, /is_encoder_decoder is true/],
    ["quantization_config", { bits: 4 }, /quantization_config/],
    ["layer_types", ["full_attention", "sliding_attention"], /layer_types is "sliding_attention"/],
  ])("is refused by name when %s is %j", (field, value, message) => {
    expect(() => modelConfigFromHf({ ...json(), [field]: value })).toThrow(message);
    expect(() => modelConfigFromHf({ ...json(), [field]: value })).toThrow(
      /^\[CONFIG_INVALID\] config\.json/,
    );
  });

  it.each([
    { max_length: 20, do_sample: true, temperature: 0.6, top_k: 20, num_beams: 1, output_scores: false },
    { _attn_implementation_autoset: true, _commit_hash: "ab", _flash_attn_2_enabled: true, _note: "mine" },
    { unsloth_version: "2025.1", unsloth_fixed: true, transformers_weights: "x", torchscript: false },
    { model_max_length: 4096, tokenizer_model_max_length: 4096, max_sequence_length: 2048 },
    { is_decoder: true, is_encoder_decoder: false, tie_encoder_decoder: false, add_cross_attention: false },
    { pruned_heads: {}, partial_rotary_factor: 1.0, logit_scale: 1, is_causal: true },
    { gradient_checkpointing: true, neftune_noise_alpha: 5, use_flash_attn: true, resid_pdrop: 0.1 },
    { rope_parameters: { rope_theta: 1e6, rope_type: "default", partial_rotary_factor: 1.0 } },
  ])("is the same model with %j", (fields) => {
    expect(modelConfigFromHf({ ...json(), ...fields })).toEqual(modelConfigFromHf(json()));
  });

  it("is read without unknown fields that the user names, but not without fields that are read", () => {
    const noted = { ...json(), house_style: "v2", other: 1 };
    expect(modelConfigFromHf(noted, ["house_style", "other"])).toEqual(modelConfigFromHf(json()));
    expect(() => modelConfigFromHf(noted, ["house_style"])).toThrow(/other is 1; this field is unknown/);
    expect(() => modelConfigFromHf({ ...json(), hidden_act: "silu" }, ["hidden_act"])).toThrow(
      /hidden_act is "silu"; this field is known and read/,
    );
  });

  it("is refused when it is no object", () => {
    for (const other of [null, [], "llama"]) expect(() => modelConfigFromHf(other)).toThrow(/CONFIG_INVALID/);
  });
});
