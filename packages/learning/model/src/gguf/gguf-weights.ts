import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { TensorInfo, TensorSource } from "../files/tensor-source.js";
import type { GgufFile, GgufTensor } from "./gguf-file.js";

/** Hugging Face names of the tensors that are not per layer. */
const wholeNames: ReadonlyMap<string, string> = new Map([
  ["token_embd.weight", "model.embed_tokens.weight"],
  ["output.weight", "lm_head.weight"],
  ["output_norm.weight", "model.norm.weight"],
]);

/** Hugging Face names within `model.layers.N.`, by GGUF's names within `blk.N.`. */
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

/** The llama converter stores the two rows of a rotary pair side by side; Hugging Face has them half a head apart. */
const interleaved = /\.attn_([qk])\.weight$/;

/**
 * Returns a file's tensors under their Hugging Face names and in Hugging Face's layout.
 * @throws {ModelError} TENSOR_UNKNOWN
 */
export function ggufWeights(file: GgufFile, config: ModelConfig): TensorSource {
  // rope_freqs.weight is not a weight: the config contains what it says.
  const stored = [...file.tensors.values()].filter(({ name }) => name !== "rope_freqs.weight");
  const byName = new Map(stored.map((tensor) => [hfName(file, tensor), tensor]));
  const infos = [...byName].map(([name, { shape, type, sizeBytes }]) => {
    const info: TensorInfo = { shape, dtype: type.name, sizeBytes };
    return [name, info] as const;
  });
  return {
    tensors: new Map(infos),
    async read(name, visit, signal) {
      const tensor = byName.get(name);
      if (tensor === undefined)
        throw new ModelError("TENSOR_MISSING", `${file.path}: contains no tensor ${name}`);
      const side = config.architecture === "llama" ? interleaved.exec(tensor.name)?.[1] : undefined;
      if (side !== undefined) {
        const heads = side === "q" ? config.heads : config.kvHeads;
        visit(separateHalves(await file.read(tensor, signal), heads, config.headDim), 0);
        return;
      }
      let offset = 0;
      for await (const piece of file.pieces(tensor, signal)) {
        visit(piece, offset);
        offset += piece.length;
      }
    },
  };
}

function hfName(file: GgufFile, { name }: GgufTensor): string {
  const layer = /^blk\.(\d+)\.(.+)$/.exec(name);
  const known = layer === null ? wholeNames.get(name) : layerNames.get(layer[2] as string);
  if (known === undefined) {
    const message = `${file.path}: tensor ${name} is unknown in llama, qwen2 and qwen3 models`;
    throw new ModelError("TENSOR_UNKNOWN", message);
  }
  return layer === null ? known : `model.layers.${layer[1]}.${known}`;
}

/** Reorders the rows of each head from [pair, half] to [half, pair]. */
function separateHalves(values: Float32Array, heads: number, headDim: number): Float32Array {
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
