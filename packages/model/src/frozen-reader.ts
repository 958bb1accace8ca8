import type { Backend, JitFunction, JitMode } from "@palimpsest/jit";
import type * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "./config.js";
import { ModelError } from "./error.js";
import { forwardHidden } from "./forward.js";
import { type FrozenModule, frozenModule } from "./frozen-module.js";
import type { LoadedModel } from "./text/local-text-model.js";
import { tokenStatistics } from "./token-statistics.js";

export interface FrozenReaderOptions {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  /** Longest prompt and answer together. Default 2048, and never more than the model's positions. */
  readonly maxTokens?: number;
}

/** A model whose weights stay as they are and which says how likely a text is to follow another. */
export class FrozenReader {
  readonly #frozen: FrozenModule;

  /** @throws {ModelError} TOKENIZER_INVALID when the model came without a tokenizer */
  constructor(model: LoadedModel, options: FrozenReaderOptions) {
    const { backend, mode, maxTokens = 2048 } = options;
    const form = { backend, mode, maxTokens, widths: [128, 512], purpose: "read texts" };
    this.#frozen = frozenModule(model, form, scoring);
  }

  /**
   * @param request.answer encoded by itself; begins with a space where words are to be apart
   * @returns nats of all the answer's tokens together, and how many there are
   * @throws {ModelError} CONFIG_INVALID where both are longer than maxTokens; the signal's reason
   */
  async logLikelihood(request: {
    readonly prompt: string;
    readonly answer: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly logprob: number; readonly tokens: number }> {
    request.signal?.throwIfAborted();
    const { module, tokenizer, widths } = this.#frozen;
    const prompt = tokenizer.encodePrompt(request.prompt);
    const answer = tokenizer.encode(request.answer);
    const length = prompt.length + answer.length;
    const width = widths.find((each) => each >= length);
    if (width === undefined || prompt.length === 0) {
      throw new ModelError(
        "CONFIG_INVALID",
        `reader: a prompt of ${prompt.length} and an answer of ${answer.length} tokens; together at most ${widths.at(-1)}, the prompt not empty`,
      );
    }
    const tokenIds = new Int32Array(width);
    tokenIds.set(prompt);
    tokenIds.set(answer, prompt.length);
    const outputs = module.call(String(width), { tokenIds });
    const logprobs = [...(outputs["logprobs"] ?? [])].slice(prompt.length - 1, length - 1);
    return { logprob: logprobs.reduce((sum, value) => sum + value, 0), tokens: answer.length };
  }

  dispose(): void {
    this.#frozen.module.dispose();
  }
}

/** Log-probabilities of every next token of one text; what stands right of it changes nothing in it. */
const scoring = (config: ModelConfig, width: number): JitFunction => ({
  inputs: { tokenIds: { shape: [width], dtype: "int32" } },
  body: (parameters, inputs) => {
    const ids = (inputs["tokenIds"] as tf.Tensor).reshape([1, width]);
    const hidden = forwardHidden(parameters, ids, config).reshape([width, config.hiddenSize]);
    const targets = ids.slice([0, 1], [1, width - 1]).reshape([width - 1]);
    const before = hidden.slice([0, 0], [width - 1, config.hiddenSize]);
    const head = parameters[config.tieWordEmbeddings ? "embedding" : "head"] as tf.Tensor;
    return { outputs: { logprobs: tokenStatistics(before, head, targets, { chunk: 128 }).logprobs } };
  },
});
