import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { parametersFromHf } from "../files/hf-weights.js";
import type { StoredTensor } from "../files/safetensors.js";
import type { Parameters } from "../parameters.js";
import type { GgufFile, GgufTensor } from "./gguf-file.js";

/** Hugging Face names of the tensors that are not per layer. */
const wholeNames: ReadonlyMap<string, string> = new Map([
  ["token_embd.weight", "model.embed_tokens.weight"],
  ["output.weight", "lm_head.weight"],
  ["output_norm.weight", "model.norm.weight"],
]);

/** Hugging Face names within `model.layers.N.` by those within `blk.N.`. */
const layerNames: ReadonlyMap<string, string> = new Map([
  ["attn_norm.weight", "input_layernorm.weight"],
  ["attn_q.weight", "self_attn.q_proj.weight"],
  ["attn_k.weight", "self_attn.k_proj.weight"],
  ["attn_v.weight", "self_attn.v_proj.weight"],
  ["attn_output.weight", "self_attn.o_proj.weight"],
  ["attn_q.bias", "self_attn.q_proj.bias"],
  ["attn_k.bias", "self_attn.k_proj.bias"],
  ["attn_v.bias", "self_attn.v_proj.bias"],
  ["attn_q_norm.weight", "self_attn.q_norm.weight"],
  ["attn_k_norm.weight", "self_attn.k_norm.weight"],
  ["ffn_norm.weight", "post_attention_layernorm.weight"],
  ["ffn_gate.weight", "mlp.gate_proj.weight"],
  ["ffn_up.weight", "mlp.up_proj.weight"],
  ["ffn_down.weight", "mlp.down_proj.weight"],
]);

/** The llama converter writes the rotary pairs of each head side by side; Hugging Face has them half a head apart. */
const interleaved = /\.attn_([qk])\.weight$/;

/**
 * Reads every tensor as float32 into parameters.
 * @param onProgress bytes of the file's tensors read so far, and in all
 * @throws {ModelError} FILE_DAMAGED, TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE
 */
export async function parametersFromGguf(
  file: GgufFile,
  config: ModelConfig,
  options: {
    readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Parameters> {
  const tensors: Record<string, StoredTensor> = {};
  const totalBytes = [...file.tensors.values()].reduce((sum, tensor) => sum + tensor.sizeBytes, 0);
  let doneBytes = 0;
  for (const tensor of file.tensors.values()) {
    if (tensor.name === "rope_freqs.weight") continue; // Part of the config.
    const values = await file.read(tensor, options.signal);
    tensors[hfName(file, tensor)] = { shape: tensor.shape, values: ordered(tensor, values, config) };
    doneBytes += tensor.sizeBytes;
    options.onProgress?.(doneBytes, totalBytes);
  }
  return parametersFromHf(config, tensors);
}

function hfName(file: GgufFile, { name }: GgufTensor): string {
  const layer = /^blk\.(\d+)\.(.+)$/.exec(name);
  const known = layer === null ? wholeNames.get(name) : layerNames.get(layer[2] as string);
  if (known === undefined) {
    const message = `${file.path}: tensor ${name} has no place in a llama, qwen2 or qwen3 model`;
    throw new ModelError("TENSOR_UNKNOWN", message);
  }
  return layer === null ? known : `model.layers.${layer[1]}.${known}`;
}

function ordered(tensor: GgufTensor, values: Float32Array, config: ModelConfig): Float32Array {
  const side = interleaved.exec(tensor.name)?.[1];
  if (config.architecture !== "llama" || side === undefined) return values;
  return separateHalves(values, side === "q" ? config.heads : config.kvHeads, config.headDim);
}

/** Rows of each head [pair, half] → [half, pair]. */
export function separateHalves(values: Float32Array, heads: number, headDim: number): Float32Array {
  const width = values.length / (heads * headDim);
  const result = new Float32Array(values.length);
  for (let head = 0; head < heads; head++) {
    for (let row = 0; row < headDim; row++) {
      const from = (head * headDim + 2 * (row % (headDim / 2)) + Math.floor(row / (headDim / 2))) * width;
      result.set(values.subarray(from, from + width), (head * headDim + row) * width);
    }
  }
  return result;
}
