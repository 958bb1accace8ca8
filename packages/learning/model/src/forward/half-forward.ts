import { asType, attention, entry, packedSegments, type Segments, scan, tf } from "@palimpsest/jit";
import { scoreScale } from "../base/architecture.js";
import { type AttentionKind, attentionKinds, isUniform, type Rotation } from "../base/attention-kind.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { scaledEmbedding } from "./embedding.js";
import type { ForwardOptions, LayerTensors, ParameterTensors } from "./forward-options.js";
import { plainGatedUnit } from "./gated-unit.js";
import type { SharedPrompts } from "./mixing.js";
import { ropeTables } from "./rope.js";

/*
 * The forward pass as a GPU wants it: products take bfloat16, attention is one kernel, layers are one loop whose
 * gradient keeps what `keep` says. The residual stream is float32: rounded after every layer, it made half of the distance
 * to the float32 pass. Norms, rotation and the gated unit compute in float32 and round at their end, which
 * costs nothing: XLA fuses them. Weights are rounded once, before the loop, and projections of one input are one
 * product. The other form, in float32 and for CPUs, is in forward.ts.
 */

/** Projections that take the same input, one product each. */
const JOINED = {
  heads: ["query", "key", "value"],
  gates: ["gate", "up"],
} as const;

type Joined = keyof typeof JOINED;

interface Pass {
  readonly config: ModelConfig;
  readonly tokens: number;
  readonly loraScale: number;
  /** Queries, keys and values by head [tokens, heads, headDim], not yet rotated → [tokens, heads · headDim]. */
  mix(query: tf.Tensor, key: tf.Tensor, value: tf.Tensor): tf.Tensor;
}

/**
 * The states before the head, after the final norm.
 * @param ids as of `forwardRows`
 * @returns float32 [tokens, D], not rounded; differentiable in the parameters
 * @throws {ModelError} CONFIG_INVALID for layers that attend differently, or to a window
 */
export function halfStates(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions,
): tf.Tensor {
  const embedding = tensorOf(parameters, "embedding");
  const stacks = stackedHalves(parameters, options.joined ?? true);
  const names = Object.keys(stacks);
  const rounded = asType(tf.gather(embedding, ids.reshape([ids.size])), "bfloat16");
  const embedded = asType(rounded, "float32");
  const pass: Pass = {
    config,
    tokens: ids.size,
    loraScale: options.loraScale ?? 1,
    mix: mixerOf(ids.shape, config, options),
  };
  const { carry } = scan({
    carry: [scaledEmbedding(embedded, config)],
    xs: Object.values(stacks),
    keep: options.keep ?? "nothing",
    body: ([x], slices) => {
      const layer = Object.fromEntries(names.map((name, index) => [name, entry(slices, index)]));
      return { carry: [block(x as tf.Tensor, layer, pass)] };
    },
  });
  return wideNorm(entry(carry, 0), tensorOf(parameters, "finalNorm"), config.rmsNormEps);
}

function block(x: tf.Tensor, layer: LayerTensors, pass: Pass): tf.Tensor {
  const { config, tokens, mix, loraScale } = pass;
  const { heads, kvHeads, headDim, rmsNormEps } = config;
  const normed = norm(x, tensorOf(layer, "attentionNorm"), rmsNormEps);
  const [query, key, value] = project(normed, layer, "heads", pass);
  const byHead = (flat: tf.Tensor | undefined, count: number, gain?: tf.Tensor): tf.Tensor => {
    const split = (flat as tf.Tensor).reshape([tokens, count, headDim]);
    return gain === undefined ? split : norm(split, gain, rmsNormEps);
  };
  const mixed = mix(
    byHead(query, heads, layer["queryNorm"]),
    byHead(key, kvHeads, layer["keyNorm"]),
    byHead(value, kvHeads),
  );
  const added = (out: tf.Tensor, gain: tf.Tensor | undefined): tf.Tensor =>
    gain === undefined ? asType(out, "float32") : wideNorm(out, gain, rmsNormEps);
  const attended = x.add(added(linear(mixed, layer, "attentionOut", loraScale), layer["attentionOutNorm"]));
  const fed = norm(attended, tensorOf(layer, "mlpNorm"), rmsNormEps);
  const [gate, up] = project(fed, layer, "gates", pass).map((half) => asType(half, "float32"));
  const gated = plainGatedUnit(gate as tf.Tensor, up as tf.Tensor, config);
  return attended.add(added(linear(asType(gated, "bfloat16"), layer, "down", loraScale), layer["downNorm"]));
}

/** @returns bfloat16, x's shape */
function norm(x: tf.Tensor, gain: tf.Tensor, eps: number): tf.Tensor {
  return asType(wideNorm(x, gain, eps), "bfloat16");
}

/** x / √(mean(x²) + eps) · gain. Not `rmsNorm`, whose gradient has a product. @returns float32, x's shape */
function wideNorm(x: tf.Tensor, gain: tf.Tensor, eps: number): tf.Tensor {
  const wide = asType(x, "float32");
  const factor = wide.square().mean(-1, true).add(eps).rsqrt();
  return wide.mul(factor).mul(asType(gain, "float32"));
}

/** x · W (+ bias), plus what adapters add. @returns bfloat16 [N, out] */
function linear(x: tf.Tensor, layer: LayerTensors, name: string, loraScale: number): tf.Tensor {
  const product = tf.matMul(x, tensorOf(layer, name));
  const bias = layer[`${name}Bias`];
  const whole = bias === undefined ? product : product.add(bias);
  const down = layer[`${name}.loraA`];
  if (down === undefined) return whole;
  const added = tf.matMul(tf.matMul(x, down), tensorOf(layer, `${name}.loraB`));
  return whole.add(added.mul(loraScale));
}

/** The projections of one group, together where they are joined. */
function project(x: tf.Tensor, layer: LayerTensors, group: Joined, { config, loraScale }: Pass): tf.Tensor[] {
  const { heads, kvHeads, headDim, intermediateSize } = config;
  if (layer[group] === undefined) return JOINED[group].map((name) => linear(x, layer, name, loraScale));
  const widths =
    group === "heads"
      ? [heads, kvHeads, kvHeads].map((count) => count * headDim)
      : [intermediateSize, intermediateSize];
  return tf.split(linear(x, layer, group, loraScale), widths, -1);
}

/** Stacked weights in bfloat16 by their names in a layer; if wanted, those of one input side by side where they have no adapters. */
function stackedHalves(parameters: ParameterTensors, joins: boolean): Record<string, tf.Tensor> {
  const prefix = "layers.";
  const own = Object.entries(parameters).flatMap(([name, tensor]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), tensor] as const] : [],
  );
  const halves = Object.fromEntries(
    own.map(([name, tensor]) => [name, name.endsWith("Norm") ? tensor : asType(tensor, "bfloat16")]),
  );
  for (const [group, names] of Object.entries(joins ? JOINED : {})) {
    if (names.some((name) => halves[`${name}.loraA`] !== undefined)) continue;
    for (const suffix of ["", "Bias"]) {
      const parts = names.flatMap((name) => halves[`${name}${suffix}`] ?? []);
      if (parts.length !== names.length) continue;
      halves[`${group}${suffix}`] = tf.concat(parts, -1);
      for (const name of names) delete halves[`${name}${suffix}`];
    }
  }
  return halves;
}

type Mix = Pass["mix"];

/** Attention over the tokens as they lie. */
function mixerOf(shape: readonly number[], config: ModelConfig, options: ForwardOptions): Mix {
  const { sharing, packing } = options;
  const scale = scoreScale(config);
  if (sharing !== undefined)
    return sharedMixer(kindOf(config, sharing.promptLength + sharing.replyLength), scale, sharing);
  const [batch = 0, length = 0] = shape;
  const rotate = rotation(kindOf(config, length), length, packing?.positions);
  const segments: Segments | undefined =
    packing === undefined ? undefined : packedSegments(packing.segments, packing.count ?? batch * length);
  return (query, key, value) => {
    const shaped = (x: tf.Tensor): tf.Tensor => sequences(x, batch, length);
    const [q, k] = [rotate(shaped(query)), rotate(shaped(key))];
    const options = { causal: true, scale, ...(segments === undefined ? {} : { segments }) };
    return flat(attention(q, k, shaped(value), options));
  };
}

/** The attention of all layers. */
function kindOf(config: ModelConfig, length: number): AttentionKind {
  const kinds = attentionKinds(config, length);
  if (isUniform(kinds)) return entry(kinds.kinds, 0);
  throw new ModelError(
    "CONFIG_INVALID",
    `activations in bfloat16 need layers that attend to all tokens alike, but this model has a slidingWindow of ${config.slidingWindow?.size} tokens, and the sequences have ${length}; set activations to float32`,
  );
}

/** Prompts [P, Lp] one behind the other, then their replies [P · M, Lr], which see them. */
function sharedMixer(kind: AttentionKind, scale: number, sharing: SharedPrompts): Mix {
  const { prompts, promptLength, replies, replyLength, promptLengths } = sharing;
  const ofPrompts = prompts * promptLength;
  const rows = prompts * replies;
  const rotatePrompts = rotation(kind, promptLength);
  const offsets = promptLengths.reshape([prompts, 1, 1]);
  const positions = offsets
    .add(tf.range(0, replyLength, 1, "int32").reshape([1, 1, replyLength]))
    .tile([1, replies, 1])
    .reshape([rows, replyLength]);
  const rotateReplies = rotation(kind, promptLength + replyLength, positions);
  return (query, key, value) => {
    const cut = (x: tf.Tensor): [tf.Tensor, tf.Tensor] => {
      const [before, after] = tf.split(x, [ofPrompts, (x.shape[0] ?? 0) - ofPrompts], 0);
      return [
        sequences(before as tf.Tensor, prompts, promptLength),
        sequences(after as tf.Tensor, rows, replyLength),
      ];
    };
    const [promptQuery, replyQuery] = cut(query);
    const [promptKey, replyKey] = cut(key);
    const [promptValue, replyValue] = cut(value);
    const keys = rotatePrompts(promptKey);
    const ofPrompt = attention(rotatePrompts(promptQuery), keys, promptValue, { causal: true, scale });
    const prefix = { keys, values: promptValue, lengths: promptLengths };
    const ofReplies = attention(rotateReplies(replyQuery), rotateReplies(replyKey), replyValue, {
      causal: true,
      scale,
      prefix,
    });
    return tf.concat([flat(ofPrompt), flat(ofReplies)], 0);
  };
}

function sequences(x: tf.Tensor, batch: number, length: number): tf.Tensor {
  return x.reshape([batch, length, ...x.shape.slice(1)]);
}

/** [B, T, heads, d] → [B · T, heads · d] */
function flat(x: tf.Tensor): tf.Tensor {
  const [batch = 0, length = 0, heads = 0, width = 0] = x.shape;
  return x.reshape([batch * length, heads * width]);
}

/**
 * Rotates each pair (i, i + d / 2) of a head by its position's angle.
 * @param positions int32 [B, T]; absent: 0, 1, … in every row
 * @returns takes [B, T, heads, d], gives bfloat16 of that shape
 */
function rotation(kind: Rotation, length: number, positions?: tf.Tensor): (x: tf.Tensor) => tf.Tensor {
  const { headDim } = kind;
  const tables = ropeTables(kind, length);
  const table = (values: Float32Array): tf.Tensor => {
    const rows = tf.tensor2d(values, [length, headDim]);
    if (positions === undefined) return rows.reshape([1, length, 1, headDim]);
    const [batch = 0, width = 0] = positions.shape;
    return tf.gather(rows, positions.reshape([batch * width])).reshape([batch, width, 1, headDim]);
  };
  // The sines of the first half are negative, see ropeTables.
  const [cos, sin] = [table(tables.cos), table(tables.sin)];
  return (x) => {
    const wide = asType(x, "float32");
    const [first, second] = tf.split(wide, 2, -1) as [tf.Tensor, tf.Tensor];
    return asType(wide.mul(cos).add(tf.concat([second, first], -1).mul(sin)), "bfloat16");
  };
}

function tensorOf(tensors: Readonly<Record<string, tf.Tensor>>, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new ModelError("TENSOR_MISSING", `parameter ${name} is missing`);
  return tensor;
}
