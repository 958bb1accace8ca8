import type { ModelConfig } from "./config.js";
import { ModelError } from "./error.js";

/** What determines the angles of rotary embeddings. */
export type Rotation = Pick<ModelConfig, "headDim" | "ropeTheta" | "ropeScaling">;

/** What the attention of a layer does with positions. */
export interface AttentionKind extends Rotation {
  /** A token attends to this many tokens, itself included; absent: to all tokens before it. */
  readonly window?: number;
}

/** The kinds of attention that a model's layers have. */
export interface AttentionKinds {
  readonly kinds: readonly AttentionKind[];
  /** For each layer its index in `kinds`. */
  readonly ofLayers: readonly number[];
}

/**
 * Returns the kinds of attention in sequences of at most `length` tokens. Windows that hold all of these change nothing, and are left
 * out, so that most models have one kind, without a window.
 * @throws {ModelError} CONFIG_INVALID for sequences whose length would change the angles
 */
export function attentionKinds(config: ModelConfig, length: number): AttentionKinds {
  const { headDim, ropeTheta, ropeScaling, slidingWindow, layers, maxPositions } = config;
  if (ropeScaling?.type === "dynamic" && length > maxPositions)
    throw new ModelError(
      "CONFIG_INVALID",
      `sequences of ${length} tokens exceed the model's maxPositions ${maxPositions}, beyond which the angles of its ropeScaling dynamic would depend on the length; shorten them`,
    );
  const everywhere = Array<number>(layers).fill(0);
  const whole: AttentionKind = { headDim, ropeTheta, ropeScaling };
  if (slidingWindow === undefined) return { kinds: [whole], ofLayers: everywhere };
  const { size, ropeTheta: own } = slidingWindow;
  const isNarrow = size < length;
  if (!isNarrow && own === undefined) return { kinds: [whole], ofLayers: everywhere };
  const local: AttentionKind = {
    headDim,
    ...(own === undefined ? { ropeTheta, ropeScaling } : { ropeTheta: own }),
    ...(isNarrow ? { window: size } : {}),
  };
  if (slidingWindow.layers.every((isLocal) => isLocal)) return { kinds: [local], ofLayers: everywhere };
  // Either all kinds have a window or none, so that a loop over layers treats them alike.
  const others = isNarrow ? { ...whole, window: length } : whole;
  return { kinds: [others, local], ofLayers: slidingWindow.layers.map(Number) };
}

/** Whether all layers attend alike and to all tokens before their own, as faster forms of the model require. */
export function isUniform({ kinds }: AttentionKinds): boolean {
  return kinds.length === 1 && kinds[0]?.window === undefined;
}
