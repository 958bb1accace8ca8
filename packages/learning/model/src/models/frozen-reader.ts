import type { Backend, JitFunction, JitMode } from "@palimpsest/jit";
import { entry } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { forwardHidden } from "../forward/forward.js";
import { tokenStatistics } from "../forward/token-statistics.js";
import type { LoadedModel } from "../text/local-text-model.js";
import { type FrozenModule, frozenModule } from "./frozen-module.js";

export interface FrozenReaderOptions {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  /** Longest prompt plus answer. Default 2048, capped at the model's number of positions. */
  readonly maxTokens?: number;
}

/** A model with frozen weights that computes how likely one text is to follow another. */
export class FrozenReader {
  readonly #frozen: FrozenModule;

  /** @throws {ModelError} TOKENIZER_INVALID if the model was loaded without a tokenizer */
  constructor(model: LoadedModel, options: FrozenReaderOptions) {
    const { backend, mode, maxTokens = 2048 } = options;
    const form = { backend, mode, maxTokens, widths: [128, 512], purpose: "read texts" };
    this.#frozen = frozenModule(model, form, scoring);
  }

  /**
   * @param request.answer encoded separately; begins with a space if it starts a new word
   * @returns the sum of the log-probabilities of the answer's tokens in nats, and their number
   * @throws {ModelError} CONFIG_INVALID if both together are longer than maxTokens; the signal's reason
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
        `reader: the prompt has ${prompt.length} tokens and the answer ${answer.length}; the prompt must not be empty, and both together have at most ${widths.at(-1)}`,
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

/** Log-probabilities of every next token of one text; tokens to the right of it change nothing. */
const scoring = (config: ModelConfig, width: number): JitFunction => ({
  inputs: { tokenIds: { shape: [width], dtype: "int32" } },
  body: (parameters, inputs) => {
    const ids = entry(inputs, "tokenIds").reshape([1, width]);
    const hidden = forwardHidden(parameters, ids, config).reshape([width, config.hiddenSize]);
    const targets = ids.slice([0, 1], [1, width - 1]).reshape([width - 1]);
    const before = hidden.slice([0, 0], [width - 1, config.hiddenSize]);
    const head = entry(parameters, config.tieWordEmbeddings ? "embedding" : "head");
    const form = { chunk: 128, tokenlessIds: config.tokenlessIds };
    return { outputs: { logprobs: tokenStatistics(before, head, targets, form).logprobs } };
  },
});
