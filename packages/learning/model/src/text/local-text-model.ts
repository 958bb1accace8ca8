import type { Backend, JitMode } from "@palimpsest/jit";
import { checkKind } from "@palimpsest/std/input";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { SamplerConfigInput } from "../sampler/draw/request.js";
import { createSampler, type ModelSampler } from "../sampler/model-sampler.js";
import type { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import { endTokenIds } from "../tokens/end-tokens.js";
import { ChatTemplate } from "./chat-template.js";
import { TextModel } from "./text-model.js";

/** A loaded model, as `loadModel` returns it. */
export interface LoadedModel {
  readonly config: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  readonly tokenizer?: BpeTokenizer;
  /** What generation_config.json and config.json say about special tokens, from which the end tokens are taken. */
  readonly generationConfig?: Readonly<Record<string, unknown>>;
}

export interface LocalTextModelOptions extends Partial<SamplerConfigInput> {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  /** Jinja text that replaces the tokenizer's own chat template. */
  readonly template?: string;
  /** Default: the tokenizer's end token and those of generation_config.json and config.json. */
  readonly stopTokens?: readonly string[];
  /** Maximum tokens of an answer when a request does not set it. Default 512. */
  readonly maxTokens?: number;
}

const defaultMaxLength = 4096;

/**
 * Creates a model that takes and returns text from a loaded model. It samples in this process and consists of the
 * tokenizer, the chat template if there is one, and a sampler of its own.
 * @throws {ModelError} TOKENIZER_INVALID if the model was loaded without a tokenizer; CONFIG_INVALID
 */
export function createTextModel(model: LoadedModel, options: LocalTextModelOptions): LocalTextModel {
  const refuse = (problem: string) => new ModelError("CONFIG_INVALID", problem);
  checkKind(model, "model of createTextModel()", "an object", refuse);
  checkKind(options, "options of createTextModel()", "an object", refuse);
  checkKind(model.config, "model of createTextModel(): config", "an object", refuse);
  if (model.tokenizer !== undefined) {
    checkKind(model.tokenizer, "model of createTextModel(): tokenizer", "an object", refuse);
    checkKind(
      model.tokenizer.configJson,
      "model of createTextModel(): tokenizer.configJson",
      "an object",
      refuse,
    );
  }
  return new LocalTextModel(model, options);
}

export class LocalTextModel extends TextModel {
  /** The underlying sampler, for requests with token ids. */
  readonly sampler: ModelSampler;
  readonly tokenizer: BpeTokenizer;

  constructor(model: LoadedModel, options: LocalTextModelOptions) {
    const { tokenizer, config, parameters } = model;
    if (tokenizer === undefined) {
      throw new ModelError(
        "TOKENIZER_INVALID",
        "the model has no tokenizer.json, so it can only be given token ids; add the tokenizer to its folder",
      );
    }
    const { backend, mode, template: own, stopTokens, maxTokens, ...limits } = options;
    const template =
      own === undefined && !ChatTemplate.has(tokenizer)
        ? undefined
        : new ChatTemplate(tokenizer, own === undefined ? {} : { template: own });
    const maxLength = limits.maxLength ?? Math.min(config.maxPositions, defaultMaxLength);
    const sampler = createSampler({
      maxBatch: 4,
      ...limits,
      maxLength,
      backend,
      config,
      parameters,
      decode: (tokenIds) => tokenizer.decode(tokenIds),
      // Weights that never change need no identification; hashing half a gigabyte takes seconds.
      weightsHash: "",
      ...(mode === undefined ? {} : { mode }),
    });
    super({
      sampler,
      tokenizer,
      maxLength,
      ...(template === undefined ? {} : { template }),
      ...(stopTokens === undefined
        ? { stopTokenIds: endTokenIds(tokenizer, model.generationConfig) }
        : { stopTokens }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    });
    this.sampler = sampler;
    this.tokenizer = tokenizer;
  }

  /** Rejects running requests and frees the model's memory. Closing twice does nothing. */
  async close(): Promise<void> {
    await this.sampler.close();
  }
}
