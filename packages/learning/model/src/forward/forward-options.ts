import type { Keep, tf } from "@palimpsest/jit";
import type { Packing, SharedPrompts } from "./mixing.js";

/** Weights as tensors, keyed by the names of `parameterShapes`. */
export type ParameterTensors = Readonly<Record<string, tf.Tensor>>;

/** Weights of one block, keyed by the names of `parameterShapes` without `layers.`, without the layer axis. */
export type LayerTensors = Readonly<Record<string, tf.Tensor>>;

/** How sequences are laid out and computed; the results are the same in every form. */
export interface ForwardOptions {
  /** scan: one loop over the stacked layers, which recomputes for the gradient what `keep` does not keep. Default unrolled. */
  readonly layers?: "unrolled" | "scan" | undefined;
  /** Number of attention queries computed at a time; absent: all at once. */
  readonly attentionBlock?: number | undefined;
  /** With shared prompts: positions of every reply computed at a time; absent: all at once. */
  readonly replyBlock?: number | undefined;
  /** Several rows in one sequence: tokens attend to earlier tokens with the same segment number. */
  readonly packing?: Packing | undefined;
  /** Prompts and the replies to them, concatenated in one list of tokens. */
  readonly sharing?: SharedPrompts | undefined;
  /** The factor alpha / rank on the adapters' contribution. */
  readonly loraScale?: number | undefined;
  /**
   * bfloat16: activations between products are rounded, layers are one loop and attention is one operation. Default
   * bfloat16 if attention is one GPU kernel, otherwise float32. The weights are not changed.
   */
  readonly activations?: "float32" | "bfloat16" | undefined;
  /** What layers that run as a loop keep for the gradient, besides each layer's input. Default nothing. */
  readonly keep?: Keep | undefined;
  /** With bfloat16 activations: whether projections of one input are one product, which needs a copy of their weights. Default true. */
  readonly joined?: boolean | undefined;
}
