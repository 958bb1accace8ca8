import { asType, type Keep, type TensorSpec, type Tensors, tf, usesFusedAttention } from "@palimpsest/jit";
import {
  type ForwardOptions,
  forwardHidden,
  forwardRows,
  type ModelConfig,
  type TokenStatistics,
  tokenStatistics,
} from "@palimpsest/model";
import { type Bucket, isPicked, placesOf, rowsOf, sharingOf, trainedTokensOf } from "../config/bucket.js";
import { forwardForm, logitsChunk, type MemoryConfig } from "../config/memory-config.js";
import { tensor } from "./state.js";

/** The inputs of a pass over a micro-batch, see `MicroBatchArrays`. */
export function passInputs(bucket: Bucket): Record<string, TensorSpec> {
  const { rows: sequences, length, packedRows } = bucket;
  const sharing = sharingOf(bucket);
  const perToken: TensorSpec = {
    shape: sharing === undefined ? [sequences, length] : [placesOf(bucket)],
    dtype: "int32",
  };
  const perPick: TensorSpec = { shape: [trainedTokensOf(bucket)], dtype: "int32" };
  const logits = isPicked(bucket) ? trainedTokensOf(bucket) : sequences * (length - 1);
  return {
    tokenIds: perToken,
    logitScales: { shape: [logits], dtype: "float32" },
    ...(packedRows === undefined ? {} : { segments: perToken, positions: perToken }),
    ...(sharing === undefined
      ? {}
      : { promptLengths: { shape: [sharing.prompts], dtype: "int32" as const } }),
    ...(isPicked(bucket)
      ? {
          picks: perPick,
          targets: perPick,
          slots: { shape: [rowsOf(bucket), length - 1], dtype: "int32" as const },
        }
      : {}),
  };
}

export interface PassOptions {
  readonly bucket: Bucket;
  readonly model: ModelConfig;
  readonly memory: MemoryConfig;
  /** For layers that run as a loop. Default nothing. */
  readonly keep?: Keep | undefined;
  readonly entropy: "none" | "value" | "gradient";
  readonly loraScale?: number | undefined;
  /** Whether projections of one input may be joined, which copies their weights. Default true. */
  readonly joined?: boolean | undefined;
  /** Parameters without a gradient, by name. Default none. */
  readonly isFrozen?: ((name: string) => boolean) | undefined;
}

/**
 * Computes the log-probability of each next token at its row's temperature, and the entropy of that distribution. If a bucket
 * selects its trained tokens, all other positions get the numbers of some trained token and must be masked.
 * @returns both float32 [rows, length-1]; entry (r, t) belongs to token t+1 of row r
 */
export function tokenPass(parameters: Tensors, inputs: Tensors, options: PassOptions): TokenStatistics {
  return isPicked(options.bucket)
    ? pickedPass(parameters, inputs, options)
    : wholePass(parameters, inputs, options);
}

function wholePass(parameters: Tensors, inputs: Tensors, options: PassOptions): TokenStatistics {
  const { bucket, model } = options;
  const { rows, length } = bucket;
  const width = length - 1;
  const tokenIds = tensor(inputs, "tokenIds");
  if (usesFusedAttention(model.headDim)) return alignedPass(parameters, inputs, options);
  // The last token's prediction is not needed.
  const ids = tf.slice(tokenIds, [0, 0], [rows, width]);
  const hidden = forwardHidden(parameters, ids, model, formOf(options, width)); // [R, T-1, D]
  const targets = tf.reshape(tf.slice(tokenIds, [0, 1], [rows, width]), [rows * width]);
  const flat = tf.reshape(hidden, [rows * width, model.hiddenSize]);
  const { logprobs, entropy } = statisticsOf(parameters, inputs, flat, targets, options);
  const shaped = (values: tf.Tensor): tf.Tensor => tf.reshape(values, [rows, width]);
  return { logprobs: shaped(logprobs), ...(entropy === undefined ? {} : { entropy: shaped(entropy) }) };
}

/** Like wholePass, but over every token: on a GPU products are faster in multiples of 64 than with one row less. */
function alignedPass(parameters: Tensors, inputs: Tensors, options: PassOptions): TokenStatistics {
  const { bucket, model } = options;
  const { rows, length } = bucket;
  const tokenIds = tensor(inputs, "tokenIds");
  const hidden = forwardHidden(parameters, tokenIds, model, formOf(options, length));
  const next = tf.slice(tokenIds, [0, 1], [rows, length - 1]);
  const targets = tf.concat([next, tf.zeros([rows, 1], "int32")], 1).reshape([rows * length]);
  const flat = tf.reshape(hidden, [rows * length, model.hiddenSize]);
  const given = tensor(inputs, "logitScales").reshape([rows, length - 1]);
  const logitScales = tf.concat([given, tf.ones([rows, 1])], 1).reshape([rows * length]);
  const { logprobs, entropy } = statisticsOf(parameters, { logitScales }, flat, targets, options);
  const shaped = (values: tf.Tensor): tf.Tensor =>
    tf.slice(values.reshape([rows, length]), [0, 0], [rows, length - 1]);
  return { logprobs: shaped(logprobs), ...(entropy === undefined ? {} : { entropy: shaped(entropy) }) };
}

function pickedPass(parameters: Tensors, inputs: Tensors, options: PassOptions): TokenStatistics {
  const { bucket, model } = options;
  const { length, packedRows } = bucket;
  const sharing = sharingOf(bucket);
  const packing =
    packedRows === undefined
      ? {}
      : {
          packing: {
            segments: tensor(inputs, "segments"),
            positions: tensor(inputs, "positions"),
            count: packedRows,
          },
        };
  const shared =
    sharing === undefined ? {} : { sharing: { ...sharing, promptLengths: tensor(inputs, "promptLengths") } };
  const form = { ...formOf(options, length), ...packing, ...shared };
  const picked = forwardRows(parameters, tensor(inputs, "tokenIds"), tensor(inputs, "picks"), model, form); // [N, D]
  const { logprobs, entropy } = statisticsOf(parameters, inputs, picked, tensor(inputs, "targets"), options);
  const slots = tf.reshape(tensor(inputs, "slots"), [rowsOf(bucket) * (length - 1)]);
  const placed = (values: tf.Tensor): tf.Tensor =>
    tf.reshape(tf.gather(values, slots), [rowsOf(bucket), length - 1]);
  return { logprobs: placed(logprobs), ...(entropy === undefined ? {} : { entropy: placed(entropy) }) };
}

function formOf(
  { bucket, model, memory, loraScale, keep, joined }: PassOptions,
  length: number,
): ForwardOptions {
  const shape = sharingOf(bucket) ?? { prompts: bucket.rows, promptLength: length };
  return { ...forwardForm(memory, model, shape), loraScale, keep, joined };
}

/** @param hidden float32 [N, D], one row per computed row of logits */
function statisticsOf(
  parameters: Tensors,
  inputs: Tensors,
  hidden: tf.Tensor,
  targets: tf.Tensor,
  { model, memory, entropy, isFrozen }: PassOptions,
): TokenStatistics {
  const headName = model.tieWordEmbeddings ? "embedding" : "head";
  const headFrozen = isFrozen?.(headName) ?? false;
  const chunk = logitsChunk(memory, model, usesFusedAttention(model.headDim));
  // Logits are linear in the hidden states, so scaling these is equivalent, and they are smaller.
  const scales = tf.expandDims(tensor(inputs, "logitScales"), 1);
  const type = usesFusedAttention(model.headDim) ? "bfloat16" : "float32";
  const scaled = asType(tf.mul(hidden, scales), type); // [N, D], rounded once
  const form = { chunk, entropy, headFrozen, tokenlessIds: model.tokenlessIds };
  return tokenStatistics(scaled, tensor(parameters, headName), targets, form);
}
