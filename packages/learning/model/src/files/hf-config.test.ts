import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
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
    const ropeScaling = { factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositions: 16 };
    for (const architecture of ["llama", "qwen2", "qwen3"] as const) {
      const config = aConfig({ architecture, ropeScaling, tieWordEmbeddings: true });
      expect(modelConfigFromHf(modelConfigToHf(config, "bfloat16"))).toEqual(config);
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

  it("of a Mistral is a Llama's as long as no window is used", () => {
    const mistral = { ...json(), model_type: "mistral", architectures: ["MistralForCausalLM"] };
    expect(modelConfigFromHf({ ...mistral, sliding_window: null }).architecture).toBe("llama");
    expect(() => modelConfigFromHf({ ...mistral, sliding_window: 4096 })).toThrow(/sliding_window is 4096/);
    // Saying nothing means 4096 to transformers.
    expect(() => modelConfigFromHf(mistral)).toThrow(/sliding_window is 4096/);
  });

  it("may name a window that a switch turns off", () => {
    const qwen = { ...modelConfigToHf(aConfig({ architecture: "qwen2" })), sliding_window: 4096 };
    expect(modelConfigFromHf({ ...qwen, use_sliding_window: false }).architecture).toBe("qwen2");
    expect(() => modelConfigFromHf({ ...qwen, use_sliding_window: true })).toThrow(/sliding_window is 4096/);
  });

  it.each([
    ["model_type", "mamba", /model_type is "mamba"; use a model of type llama, mistral, qwen2 or qwen3/],
    ["architectures", ["LlamaForSequenceClassification"], /architectures.*only LlamaForCausalLM/],
    ["hidden_act", "gelu", /hidden_act is "gelu"/],
    ["mlp_bias", true, /mlp_bias is true/],
    ["attention_bias", true, /attention_bias is true/],
    ["rope_parameters", { rope_type: "yarn", rope_theta: 1 }, /rope_parameters\.rope_type is "yarn"/],
    ["rope_parameters", { rope_type: "dynamic", factor: 2 }, /rope_parameters\.rope_type is "dynamic"/],
    ["rope_parameters", { rope_type: "linear", factor: 2 }, /rope_parameters\.rope_type is "linear"/],
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
