import { scan } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "./config.js";
import {
  block,
  type LayerTensors,
  type ParameterTensors,
  rmsNorm,
  type SequenceConstants,
  sequenceConstants,
} from "./forward.js";
import { parameterShapes } from "./parameters.js";

/*
 * The forward pass and its gradients with the layers as loops over the stacked weights: graph size and compile
 * time do not grow with depth, and of each block only its input is kept, the rest computed again on the way
 * back. The form for deep models; two layers run faster unrolled (forward.ts).
 */

/** `forwardHidden` as a loop: the same numbers; not differentiable by `tf.grads`. @returns float32 [B, T, D] */
export function forwardHiddenLooped(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
): tf.Tensor {
  const pass = new LoopedPass(parameters, ids, config);
  return pass.normed(pass.forward().last, pass.weight("finalNorm"));
}

/**
 * Value of a loss on the final hidden states, and its gradient in every parameter.
 * @param loss takes float32 [B, T, D] after the final norm, and the output head [V, D]; gives float32 []
 * @returns gradients by parameter name, stacked as the parameters are; caller disposes
 */
export function hiddenGradients(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  loss: (hidden: tf.Tensor, head: tf.Tensor) => tf.Tensor,
): { readonly value: tf.Tensor; readonly gradients: Record<string, tf.Tensor> } {
  const pass = new LoopedPass(parameters, ids, config);
  const headName = config.tieWordEmbeddings ? "embedding" : "head";
  const { last, blockInputs } = pass.forward();
  const top = tf.valueAndGrads(
    (x, gain, head) => loss(pass.normed(x as tf.Tensor, gain as tf.Tensor), head as tf.Tensor) as tf.Scalar,
  );
  const { value, grads } = top([last, pass.weight("finalNorm"), pass.weight(headName)]);
  const [topSlope, gainGradient, headGradient] = grads as [tf.Tensor, tf.Tensor, tf.Tensor];
  const { inputSlope, layerGradients } = pass.backward(blockInputs, topSlope);
  const read = tf.grad((embedding) => pass.embed(embedding));
  const embeddingGradient = read(pass.weight("embedding"), inputSlope);
  return {
    value,
    gradients: {
      ...layerGradients,
      finalNorm: gainGradient,
      ...(config.tieWordEmbeddings
        ? { embedding: embeddingGradient.add(headGradient) }
        : { embedding: embeddingGradient, head: headGradient }),
    },
  };
}

/** One sequence length's loops over one set of weights. */
class LoopedPass {
  readonly #parameters: ParameterTensors;
  readonly #ids: tf.Tensor;
  readonly #config: ModelConfig;
  readonly #constants: SequenceConstants;
  readonly #layerNames: readonly string[];
  readonly #batch: number;
  readonly #length: number;

  constructor(parameters: ParameterTensors, ids: tf.Tensor, config: ModelConfig) {
    this.#parameters = parameters;
    this.#ids = ids;
    this.#config = config;
    [this.#batch, this.#length] = ids.shape as [number, number];
    this.#constants = sequenceConstants(config, this.#length);
    this.#layerNames = Object.keys(parameterShapes(config)).filter((name) => name.startsWith("layers."));
  }

  weight(name: string): tf.Tensor {
    return this.#parameters[name] as tf.Tensor;
  }

  /** @returns float32 [B·T, D] */
  embed(embedding: tf.Tensor): tf.Tensor {
    return tf.gather(embedding, this.#ids.reshape([this.#batch * this.#length]));
  }

  /** @param x float32 [B·T, D]. @returns float32 [B, T, D] */
  normed(x: tf.Tensor, gain: tf.Tensor): tf.Tensor {
    const { rmsNormEps, hiddenSize } = this.#config;
    return rmsNorm(x, gain, rmsNormEps).reshape([this.#batch, this.#length, hiddenSize]);
  }

  /** @returns last [B·T, D]; blockInputs [L, B·T, D] */
  forward(): { readonly last: tf.Tensor; readonly blockInputs: tf.Tensor } {
    const { carry, ys } = scan({
      carry: [this.embed(this.weight("embedding"))],
      xs: this.#stacks(),
      body: ([x], slices) => ({ carry: [this.#block(x as tf.Tensor, slices)], ys: [x as tf.Tensor] }),
    });
    return { last: carry[0] as tf.Tensor, blockInputs: ys[0] as tf.Tensor };
  }

  /** @param slope float32 [B·T, D], of the loss in the last block's output */
  backward(
    blockInputs: tf.Tensor,
    slope: tf.Tensor,
  ): { readonly inputSlope: tf.Tensor; readonly layerGradients: Record<string, tf.Tensor> } {
    const { carry, ys } = scan({
      reverse: true,
      carry: [slope],
      xs: [blockInputs, ...this.#stacks()],
      body: ([above], [x, ...slices]) => {
        const gradients = tf.grads((input, ...weights) =>
          this.#block(input as tf.Tensor, weights as tf.Tensor[]),
        );
        const [below, ...ofWeights] = gradients([x as tf.Tensor, ...slices], above as tf.Tensor);
        return { carry: [below as tf.Tensor], ys: ofWeights };
      },
    });
    return {
      inputSlope: carry[0] as tf.Tensor,
      layerGradients: Object.fromEntries(this.#layerNames.map((name, i) => [name, ys[i] as tf.Tensor])),
    };
  }

  #stacks(): tf.Tensor[] {
    return this.#layerNames.map((name) => this.weight(name));
  }

  #block(x: tf.Tensor, slices: readonly tf.Tensor[]): tf.Tensor {
    const layer: LayerTensors = Object.fromEntries(
      this.#layerNames.map((name, i) => [name.slice("layers.".length), slices[i] as tf.Tensor]),
    );
    return block(x, layer, this.#constants, this.#config, this.#batch, this.#length);
  }
}
