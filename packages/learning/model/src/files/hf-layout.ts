import { entry, sizeOf } from "@palimpsest/jit";
import { architectureOf } from "../base/architecture.js";
import type { ModelConfig } from "../base/config.js";
import { parameterShapes } from "../base/parameters.js";

export const headName = "lm_head.weight";

/** Hugging Face names of the tensors that are not per layer. */
const wholeNames: Readonly<Record<string, string>> = {
  embedding: "model.embed_tokens.weight",
  head: headName,
  finalNorm: "model.norm.weight",
};

/** Hugging Face names of the tensors within `model.layers.N.`. */
const layerNames: Readonly<Record<string, string>> = {
  attentionNorm: "input_layernorm.weight",
  query: "self_attn.q_proj.weight",
  key: "self_attn.k_proj.weight",
  value: "self_attn.v_proj.weight",
  attentionOut: "self_attn.o_proj.weight",
  queryBias: "self_attn.q_proj.bias",
  keyBias: "self_attn.k_proj.bias",
  valueBias: "self_attn.v_proj.bias",
  queryNorm: "self_attn.q_norm.weight",
  keyNorm: "self_attn.k_norm.weight",
  mlpNorm: "post_attention_layernorm.weight",
  gate: "mlp.gate_proj.weight",
  up: "mlp.up_proj.weight",
  down: "mlp.down_proj.weight",
};

/** The names of the norms in layers that also normalize what attention and the feed-forward add. */
const namesWithOutputNorms: Readonly<Record<string, string>> = {
  ...layerNames,
  attentionOutNorm: "post_attention_layernorm.weight",
  mlpNorm: "pre_feedforward_layernorm.weight",
  downNorm: "post_feedforward_layernorm.weight",
};

/** One tensor of a Hugging Face checkpoint and its position in our parameters. */
export interface HfTensor {
  readonly name: string;
  /** The shape in the file, where projections are [out, in]. */
  readonly shape: readonly number[];
  readonly parameter: string;
  /** Index of the tensor's first element within the (stacked) parameter. */
  readonly start: number;
  /** True where our parameter is [in, out]. */
  readonly transposed: boolean;
  /** What our parameter has more than the file: files of Gemma store a norm's gain less 1. */
  readonly added: number;
}

/** Lists every tensor of a checkpoint, in the order of our parameters. */
export function hfTensors(config: ModelConfig): HfTensor[] {
  const names = architectureOf(config).outputNorms ? namesWithOutputNorms : layerNames;
  return Object.entries(parameterShapes(config)).flatMap(([parameter, shape]): HfTensor[] => {
    const added = config.architecture === "gemma3" && parameter.endsWith("Norm") ? 1 : 0;
    if (!parameter.startsWith("layers.")) {
      return [{ name: entry(wholeNames, parameter), shape, parameter, start: 0, transposed: false, added }];
    }
    const suffix = entry(names, parameter.slice("layers.".length));
    const [layers, ...perLayer] = shape as [number, ...number[]];
    const transposed = perLayer.length === 2;
    return Array.from({ length: layers }, (_, layer) => ({
      name: `model.layers.${layer}.${suffix}`,
      shape: transposed ? perLayer.toReversed() : perLayer,
      parameter,
      start: layer * sizeOf(perLayer),
      transposed,
      added,
    }));
  });
}

/** Returns whether a tensor that some exporters add is redundant; a second head only if it equals the embedding. */
export function isRedundant(name: string): boolean {
  return name === headName || name.endsWith("rotary_emb.inv_freq");
}
