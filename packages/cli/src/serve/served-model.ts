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
  /** What clients call it. */
  readonly name: string;
  /** Of the run that trained it; 0 for a model that no run of ours has trained. */
  readonly policyVersion?: number;
  /** Tokens of prompt and answer together. Default: what the model knows, at most 4096. */
  readonly maxLength?: number;
  /** Which log-probs clients are told. Default: the model's own. */
  readonly logprobsMode?: LogprobsMode;
  /** Requests that may be in the sampler besides those of the batch. */
  readonly maxWaiting: number;
}

const defaultMaxLength = 4096;

/** One model and everything that answering a request needs of it. */
export class ServedModel {
  readonly name: string;
  readonly sampler: ModelSampler;
  readonly tokenizer: BpeTokenizer;
  /** Absent: /v1/chat/completions is refused. */
  readonly template: ChatTemplate | undefined;
  /** Whether the template writes tools into a prompt. */
  readonly hasTools: boolean;
  /** Tokens that end an answer. */
  readonly stopTokenIds: readonly number[];
  readonly vocabSize: number;
  readonly maxLength: number;
  readonly logprobsMode: LogprobsMode;
  readonly createdAtMs = Date.now();

  /** @throws {PalimpsestError} CONFIG_INVALID without a tokenizer; {ModelError} as createSampler */
  constructor(folder: ModelFolder, options: ServedModelOptions) {
    const { config, parameters, tokenizer, generationConfig } = folder;
    const { name, policyVersion = 0, backend, mode, maxBatch = 16, maxWaiting, singleWeights } = options;
    if (tokenizer === undefined) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `model ${name}: has no tokenizer, and answers are text; put its tokenizer.json into the folder`,
      );
    }
    this.name = name;
    this.tokenizer = tokenizer;
    this.template = ChatTemplate.has(tokenizer) ? new ChatTemplate(tokenizer) : undefined;
    this.hasTools = this.template !== undefined && writesTools(this.template);
    this.logprobsMode = options.logprobsMode ?? "raw_logprobs";
    this.vocabSize = config.vocabSize;
    this.maxLength = Math.min(config.maxPositions, options.maxLength ?? defaultMaxLength);
    const end = tokenizer.endToken;
    const endId = end === undefined ? undefined : tokenizer.specialTokenId(end);
    this.stopTokenIds = [
      ...new Set([...(endId === undefined ? [] : [endId]), ...endTokenIds(generationConfig)]),
    ];
    this.sampler = createSampler({
      backend,
      config,
      parameters,
      policyVersion,
      maxBatch,
      maxLength: this.maxLength,
      // Requests are counted where they arrive; the sampler's own bound must not be met before.
      maxQueue: maxBatch + maxWaiting,
      decode: (tokenIds) => tokenizer.decode(tokenIds),
      ...(mode === undefined ? {} : { mode }),
      ...(singleWeights === undefined ? {} : { singleWeights }),
    });
  }

  /** Which weights answer: `v140-` and the SHA-256 of all parameters. */
  get fingerprint(): string {
    return `v${this.sampler.policyVersion}-${this.sampler.weightsHash}`;
  }

  async close(): Promise<void> {
    await this.sampler.close();
  }
}

/** A template that passes over tools renders the same with them as without. */
function writesTools(template: ChatTemplate): boolean {
  const messages = [{ role: "user", content: "?" }];
  const probe = {
    type: "function",
    function: { name: "probe", description: "", parameters: { type: "object", properties: {} } },
  };
  try {
    return template.render(messages, { tools: [probe] }) !== template.render(messages);
  } catch {
    return false;
  }
}
