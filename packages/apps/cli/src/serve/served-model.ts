import {
  type BpeTokenizer,
  ChatTemplate,
  createSampler,
  endTokenIds,
  type ModelFolder,
  type ModelSampler,
  type ModelSamplerOptions,
} from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { LogprobsMode } from "./token-logprobs.js";

export interface ServedModelOptions
  extends Pick<ModelSamplerOptions, "backend" | "mode" | "maxBatch" | "singleWeights"> {
  /** The model's name for clients. */
  readonly name: string;
  /** The policy version of the run that trained it; 0 for a model that no run has trained. */
  readonly policyVersion?: number;
  /** The maximum tokens of prompt and answer together. Default: the model's limit, at most 4096. */
  readonly maxLength?: number;
  /** Which log-probs clients get. Default: the model's own. */
  readonly logprobsMode?: LogprobsMode;
  /** The number of requests that may be in the sampler in addition to the batch. */
  readonly maxWaiting: number;
}

const defaultMaxLength = 4096;

/** One model with everything that is needed to answer requests. */
export class ServedModel {
  readonly name: string;
  readonly sampler: ModelSampler;
  readonly tokenizer: BpeTokenizer;
  /** Without a template, requests to /v1/chat/completions are refused. */
  readonly template: ChatTemplate | undefined;
  /** Why requests with tools are refused; undefined if the template renders tools. */
  readonly toolsRefusal: string | undefined;
  /** Tokens that end an answer. */
  readonly stopTokenIds: readonly number[];
  readonly vocabSize: number;
  readonly maxLength: number;
  readonly logprobsMode: LogprobsMode;
  readonly createdAtMs = Date.now();

  /** @throws {PalimpsestError} CONFIG_INVALID without a tokenizer; {ModelError} like createSampler */
  constructor(folder: ModelFolder, options: ServedModelOptions) {
    const { config, parameters, tokenizer, generationConfig } = folder;
    const { name, policyVersion = 0, backend, mode, maxBatch = 16, maxWaiting, singleWeights } = options;
    if (tokenizer === undefined) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `model ${name}: has no tokenizer, without which it cannot write text; put its tokenizer.json into the folder`,
      );
    }
    const { maxPositions } = config;
    if (options.maxLength !== undefined && options.maxLength > maxPositions)
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `max-length is ${options.maxLength}, but ${name} has ${maxPositions} positions for prompt and answer; give ${maxPositions} or fewer, or leave it out`,
      );
    this.name = name;
    this.tokenizer = tokenizer;
    this.template = ChatTemplate.has(tokenizer) ? new ChatTemplate(tokenizer) : undefined;
    this.toolsRefusal = this.template === undefined ? undefined : toolsRefusal(this.template);
    this.logprobsMode = options.logprobsMode ?? "raw_logprobs";
    this.vocabSize = config.vocabSize;
    this.maxLength = options.maxLength ?? Math.min(maxPositions, defaultMaxLength);
    this.stopTokenIds = endTokenIds(tokenizer, generationConfig);
    this.sampler = createSampler({
      backend,
      config,
      parameters,
      policyVersion,
      maxBatch,
      maxLength: this.maxLength,
      // Requests are limited on arrival, so the sampler's own bound must not be reached first.
      maxQueue: maxBatch + maxWaiting,
      decode: (tokenIds) => tokenizer.decode(tokenIds),
      ...(mode === undefined ? {} : { mode }),
      ...(singleWeights === undefined ? {} : { singleWeights }),
    });
  }

  /** Identifies the weights: `v140-` and the SHA-256 of all parameters. */
  get fingerprint(): string {
    return `v${this.sampler.policyVersion}-${this.sampler.weightsHash}`;
  }

  async close(): Promise<void> {
    await this.sampler.close();
  }
}

/**
 * Returns why a template cannot render tools, or undefined if it can: one that ignores them renders the same with and
 * without them, and one that fails says why.
 */
function toolsRefusal(template: ChatTemplate): string | undefined {
  const messages = [{ role: "user", content: "?" }];
  const probe = {
    type: "function",
    function: { name: "probe", description: "", parameters: { type: "object", properties: {} } },
  };
  try {
    const ignored = template.render(messages, { tools: [probe] }) === template.render(messages);
    return ignored ? "does not support tools; leave them out" : undefined;
  } catch (failure) {
    const said = failure instanceof Error ? failure.message : String(failure);
    return `fails with tools: ${said}; leave them out, or correct the template in the model's folder`;
  }
}
