import { type Backend, entry, type JitFunction, type JitMode, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { forwardHidden } from "../forward/forward.js";
import type { LoadedModel } from "../text/local-text-model.js";
import { type FrozenModule, frozenModule } from "./frozen-module.js";

export interface ModelEmbedderOptions {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  /** A name for reports and caches, such as the model's folder. */
  readonly name: string;
  /** Number of tokens of a text that are read; the rest is ignored. Default 128. */
  readonly maxTokens?: number;
}

/** Texts per call, which share one pass over the weights. */
const rows = 8;

/**
 * A language model as an `Embedder` of memory stores: the mean of its last hidden states over the text's tokens. The
 * first token is left out, because in causal models its state is large and carries little about the text.
 */
export class ModelEmbedder {
  readonly name: string;
  readonly dimensions: number;
  readonly #frozen: FrozenModule;

  /** @throws {ModelError} TOKENIZER_INVALID if the model was loaded without a tokenizer */
  constructor(model: LoadedModel, options: ModelEmbedderOptions) {
    const { backend, mode, name, maxTokens = 128 } = options;
    this.name = `${name} (mean of the last states)`;
    this.dimensions = model.config.hiddenSize;
    const form = { backend, mode, maxTokens, widths: [16, 32, 64, 128], purpose: "embed texts" };
    this.#frozen = frozenModule(model, form, embedding);
  }

  /**
   * @returns float32 [dimensions] per text, in order; zeros for a text without tokens
   * @throws the signal's reason
   */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const { tokenizer, widths } = this.#frozen;
    const most = widths.at(-1) as number;
    const encoded = texts.map((text) => {
      const ids = tokenizer.encode(text, { specialTokens: "text" });
      return ids.length === 0 ? [] : [...tokenizer.beginTokenIds, ...ids].slice(0, most);
    });
    const vectors = encoded.map(() => new Float32Array(this.dimensions));
    // Texts of similar length share a call, because the longest one determines its width.
    const order = encoded.map((_, i) => i).filter((i) => entry(encoded, i).length > 0);
    order.sort((a, b) => entry(encoded, a).length - entry(encoded, b).length);
    for (let start = 0; start < order.length; start += rows) {
      signal?.throwIfAborted();
      const part = order.slice(start, start + rows);
      const means = this.#meanStates(part.map((i) => entry(encoded, i)));
      part.forEach((i, row) => {
        vectors[i] = means.slice(row * this.dimensions, (row + 1) * this.dimensions);
      });
      // Lets the process do other work between batches: a store may have thousands of texts.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return vectors;
  }

  dispose(): void {
    this.#frozen.module.dispose();
  }

  #meanStates(texts: readonly (readonly number[])[]): Float32Array {
    const longest = Math.max(...texts.map((ids) => ids.length));
    const { module, widths } = this.#frozen;
    const width = widths.find((each) => each >= longest) as number;
    const tokenIds = new Int32Array(rows * width);
    const weights = new Float32Array(rows * width);
    texts.forEach((ids, row) => {
      tokenIds.set(ids, row * width);
      const first = ids.length > 1 ? 1 : 0;
      weights.fill(1 / (ids.length - first), row * width + first, row * width + ids.length);
    });
    return module.call(String(width), { tokenIds, weights })["means"] as Float32Array;
  }
}

/** Weighted sums of the last hidden states of every row. */
const embedding = (config: ModelConfig, width: number): JitFunction => ({
  inputs: {
    tokenIds: { shape: [rows, width], dtype: "int32" },
    weights: { shape: [rows, width], dtype: "float32" },
  },
  body: (parameters, { tokenIds, weights }) => {
    const hidden = forwardHidden(parameters, tokenIds as tf.Tensor, config); // [rows, width, D]
    const means = tf.matMul((weights as tf.Tensor).reshape([rows, 1, width]), hidden); // [rows, 1, D]
    return { outputs: { means: means.reshape([rows, config.hiddenSize]) } };
  },
});
