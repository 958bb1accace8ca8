import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { checkFinite, type Parameters, parameterShapes, sizeOf } from "../parameters.js";
import type { StoredTensor } from "./safetensors.js";

/** Hugging Face names of the tensors that are not per layer. */
const wholeNames: Readonly<Record<string, string>> = {
  embedding: "model.embed_tokens.weight",
  head: "lm_head.weight",
  finalNorm: "model.norm.weight",
};

/** Hugging Face names within `model.layers.N.`. */
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

/** One tensor of a Hugging Face checkpoint and its place among ours. */
interface HfTensor {
  readonly hfName: string;
  /** As the file has it: projections are [out, in]. */
  readonly hfShape: readonly number[];
  readonly parameter: string;
  /** First element within the (stacked) parameter. */
  readonly offset: number;
  readonly transposed: boolean;
}

function hfTensors(config: ModelConfig): HfTensor[] {
  return Object.entries(parameterShapes(config)).flatMap(([parameter, shape]): HfTensor[] => {
    if (!parameter.startsWith("layers.")) {
      return [
        { hfName: wholeNames[parameter] as string, hfShape: shape, parameter, offset: 0, transposed: false },
      ];
    }
    const suffix = layerNames[parameter.slice("layers.".length)] as string;
    const [layers, ...perLayer] = shape as [number, ...number[]];
    const transposed = perLayer.length === 2;
    return Array.from({ length: layers }, (_, layer) => ({
      hfName: `model.layers.${layer}.${suffix}`,
      hfShape: transposed ? perLayer.toReversed() : perLayer,
      parameter,
      offset: layer * sizeOf(perLayer),
      transposed,
    }));
  });
}

/**
 * Stacks and transposes a checkpoint's tensors into parameters.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, DTYPE_UNSUPPORTED, NOT_FINITE
 */
export function parametersFromHf(
  config: ModelConfig,
  tensors: Readonly<Record<string, StoredTensor>>,
): Parameters {
  const parameters: Parameters = {};
  for (const [name, shape] of Object.entries(parameterShapes(config))) {
    parameters[name] = new Float32Array(sizeOf(shape));
  }
  const wanted = hfTensors(config);
  for (const { hfName, hfShape, parameter, offset, transposed } of wanted) {
    const stored = tensors[hfName];
    if (stored === undefined)
      throw new ModelError("TENSOR_MISSING", `tensor ${hfName} is not in the checkpoint`);
    const values = checked(hfName, stored, hfShape);
    const [rows, columns] = hfShape as [number, number];
    (parameters[parameter] as Float32Array).set(
      transposed ? transpose(values, rows, columns) : values,
      offset,
    );
  }
  const known = new Set(wanted.map((tensor) => tensor.hfName));
  // Some exporters keep a copy of a tied head, and the rotary frequencies.
  const unknown = Object.keys(tensors).find(
    (name) => !known.has(name) && name !== "lm_head.weight" && !name.endsWith("rotary_emb.inv_freq"),
  );
  if (unknown !== undefined) {
    const message = `tensor ${unknown} has no place in a ${config.architecture} model; check model_type in config.json`;
    throw new ModelError("TENSOR_UNKNOWN", message);
  }
  return parameters;
}

/** Unstacks and transposes parameters into a checkpoint's tensors. */
export function parametersToHf(
  config: ModelConfig,
  parameters: Readonly<Record<string, Float32Array>>,
): Record<string, { readonly shape: readonly number[]; readonly values: Float32Array }> {
  return Object.fromEntries(
    hfTensors(config).map(({ hfName, hfShape, parameter, offset, transposed }) => {
      const stacked = parameters[parameter] as Float32Array;
      const values = stacked.subarray(offset, offset + sizeOf(hfShape));
      const [rows, columns] = hfShape as [number, number];
      return [hfName, { shape: hfShape, values: transposed ? transpose(values, columns, rows) : values }];
    }),
  );
}

function checked(name: string, stored: StoredTensor, shape: readonly number[]): Float32Array {
  if (stored.shape.length !== shape.length || stored.shape.some((dimension, i) => dimension !== shape[i])) {
    const message = `tensor ${name} is [${stored.shape.join(", ")}] where config.json says [${shape.join(", ")}]`;
    throw new ModelError("SHAPE_MISMATCH", message);
  }
  if (!(stored.values instanceof Float32Array)) {
    throw new ModelError("DTYPE_UNSUPPORTED", `tensor ${name} holds integers where weights are expected`);
  }
  checkFinite({ [name]: stored.values });
  return stored.values;
}

/** [rows, columns] → [columns, rows]. */
function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      result[column * rows + row] = values[row * columns + column] as number;
    }
  }
  return result;
}
