import type { Keep, tf } from "@palimpsest/jit";
import type { Packing, SharedPrompts } from "./mixing.js";

/** Weights as tensors by the names of `parameterShapes`. */
export type ParameterTensors = Readonly<Record<string, tf.Tensor>>;

/** Weights of one block by the names of `parameterShapes` without `layers.`, first axis gone. */
export type LayerTensors = Readonly<Record<string, tf.Tensor>>;

/** How sequences lie and how they are computed; the numbers are the same in every form. */
export interface ForwardOptions {
  /** scan: one loop over the stacked layers, each computed again for the gradient. Default unrolled. */
  readonly layers?: "unrolled" | "scan" | undefined;
  /** Queries of attention at a time; absent: all at once. */
  readonly attentionBlock?: number | undefined;
  /** Of shared prompts: places of every reply at a time; absent: all at once. */
  readonly replyBlock?: number | undefined;
  /** Several rows in one sequence: tokens see those of the same number before them. */
  readonly packing?: Packing | undefined;
  /** Prompts and the replies to them, one behind the other in one list of tokens. */
  readonly sharing?: SharedPrompts | undefined;
  /** Factor on what adapters add: alpha / rank. */
  readonly loraScale?: number | undefined;
  /**
   * bfloat16: what passes from product to product is rounded, layers are one loop and attention is one operation; default
   * so where attention is one kernel of a GPU, else float32. The weights stay what they are.
   */
  readonly activations?: "float32" | "bfloat16" | undefined;
  /** What the gradient of layers in bfloat16 finds of the forward pass. Default nothing. */
  readonly keep?: Keep | undefined;
  /** Parameters without a gradient; with scan it is not even computed. Default none. */
  readonly isFrozen?: ((name: string) => boolean) | undefined;
}
