import type { Conversation, ConversationKind, MemoryStep } from "@palimpsest/memory/records";
import { isPlain, type Sampling } from "@palimpsest/memory/records";
import {
  callSeed,
  type EpisodeResult,
  type EpisodeState,
  type RunOptions,
  type SampleCounts,
} from "./episode.js";
import { AgentError } from "./error.js";
import type { GenerateResult, Sampler } from "./sampler.js";

const nothingYet: SampleCounts = {
  conversations: 0,
  promptTokens: 0,
  sampledTokens: 0,
  truncated: 0,
  emptyUpdates: 0,
};

/**
 * Samples the replies of one episode, and records it: the counts, the policy versions, and the conversations and
 * steps that are kept.
 */
export class EpisodeLog {
  readonly conversations: Conversation[] = [];
  readonly steps: MemoryStep[] = [];
  /** True if steps are kept or reported; otherwise their texts need not be decoded. */
  readonly observed: boolean;
  readonly #sampler: Sampler;
  readonly #options: RunOptions;
  /** The sampling parameters of every reply of the episode. */
  readonly sampling: Sampling;
  readonly #stopTokenIds: readonly number[];
  #counts: SampleCounts;
  /**
   * The number of samples that have begun. The seed of each follows from how many began before it, and not from which
   * was answered first.
   */
  #begun: number;
  #policyVersionMin: number;
  #policyVersionMax: number;
  #weightsHash = "";

  constructor(
    sampler: Sampler,
    settings: { readonly temperature: number; readonly topP: number },
    stopTokenIds: readonly number[],
    options: RunOptions,
  ) {
    const from = options.resumeFrom;
    this.#sampler = sampler;
    this.#options = options;
    const { temperature = settings.temperature, topP = settings.topP } = options;
    this.sampling = { temperature, topP, topK: 0, minP: 0 };
    this.#stopTokenIds = stopTokenIds;
    this.#counts = from?.counts ?? nothingYet;
    this.#begun = this.#counts.conversations;
    this.#policyVersionMin = from?.policyVersionMin ?? Number.POSITIVE_INFINITY;
    this.#policyVersionMax = from?.policyVersionMax ?? Number.NEGATIVE_INFINITY;
    this.observed = this.#keeps || options.onProgress !== undefined;
  }

  /** The totals of the episode, including those from before it was resumed. */
  get counts(): SampleCounts {
    return this.#counts;
  }

  /**
   * Samples one reply as a conversation of its own; its seed follows from the episode's seed and its index.
   * @throws {AgentError} SAMPLE_ABORTED, BAD_SAMPLE; the signal's reason
   */
  async converse(kind: ConversationKind, promptTokenIds: number[], maxTokens: number): Promise<Conversation> {
    const step = this.#begun;
    const sampled = await this.sample(promptTokenIds, maxTokens);
    const conversation: Conversation = {
      kind,
      step,
      promptTokenIds,
      ...sampledFields(sampled, this.sampling),
    };
    this.keep(conversation);
    return conversation;
  }

  /**
   * Samples one reply without making it a conversation, such as one turn of several. It is counted as a conversation.
   * @throws {AgentError} SAMPLE_ABORTED, BAD_SAMPLE; the signal's reason
   */
  async sample(promptTokenIds: readonly number[], maxTokens: number): Promise<GenerateResult> {
    const { signal, seed = 0 } = this.#options;
    signal?.throwIfAborted();
    const place = this.#begun++;
    const sampled = await this.#sampler
      .generate(
        {
          promptTokenIds,
          maxTokens,
          ...this.sampling,
          stopTokenIds: this.#stopTokenIds,
          seed: callSeed(seed, place),
        },
        signal,
      )
      .catch((reason: unknown) => {
        // The index is released, so that an agent that asks again is answered as if nothing had happened.
        if (this.#begun === place + 1) this.#begun = place;
        throw reason;
      });
    signal?.throwIfAborted();
    checkSample(sampled, maxTokens);
    this.#count(promptTokenIds.length, sampled);
    return sampled;
  }

  /** Keeps a conversation, unless `record` is "none". */
  keep(conversation: Conversation): void {
    if (this.#keeps) this.conversations.push(conversation);
  }

  countEmptyUpdate(): void {
    this.#counts = { ...this.#counts, emptyUpdates: this.#counts.emptyUpdates + 1 };
  }

  /** Keeps the memory step, unless `record` is "none", and calls `onProgress`. */
  report(
    conversation: Conversation,
    progress: {
      readonly memoryStep?: MemoryStep;
      readonly conversationsTotal?: number;
      readonly documentTokensRead: number;
      readonly state?: AgentState;
    },
  ): void {
    const { memoryStep, state, ...known } = progress;
    if (memoryStep && this.#keeps) this.steps.push(memoryStep);
    this.#options.onProgress?.({
      conversation,
      ...known,
      ...(memoryStep ? { memoryStep } : {}),
      conversationsDone: this.#counts.conversations,
      ...(state ? { state: this.#stateOf(state) } : {}),
    });
  }

  /** Returns the part of an episode's result that is the same for every kind of agent. */
  result(): Pick<
    EpisodeResult,
    "steps" | "conversations" | "counts" | "policyVersionMin" | "policyVersionMax" | "weightsHash"
  > {
    return {
      steps: this.steps,
      conversations: this.conversations,
      counts: this.#counts,
      policyVersionMin: this.#policyVersionMin,
      policyVersionMax: this.#policyVersionMax,
      weightsHash: this.#weightsHash,
    };
  }

  /** @throws {AgentError} NO_ANSWER where a model on a server answered with nothing */
  answered(result: EpisodeResult): EpisodeResult {
    this.checkAnswer(result.answer, { result });
    return result;
  }

  /** @throws {AgentError} NO_ANSWER where a model on a server answered with nothing */
  checkAnswer(answer: string, details: { readonly result?: EpisodeResult } = {}): void {
    if (this.#sampler.served !== true || answer.trim() !== "") return;
    const message = "the model's answer is empty; ask again, or ask another model";
    throw new AgentError("NO_ANSWER", message, details);
  }

  get #keeps(): boolean {
    return (this.#options.record ?? "all") === "all";
  }

  #stateOf(state: AgentState): EpisodeState {
    return {
      ...state,
      counts: this.#counts,
      policyVersionMin: this.#policyVersionMin,
      policyVersionMax: this.#policyVersionMax,
    };
  }

  #count(promptTokens: number, sampled: GenerateResult): void {
    const { tokenIds, stopReason, policyVersion, versionRuns, weightsHash } = sampled;
    const counts = this.#counts;
    this.#counts = {
      ...counts,
      conversations: counts.conversations + 1,
      promptTokens: counts.promptTokens + promptTokens,
      sampledTokens: counts.sampledTokens + tokenIds.length,
      truncated: counts.truncated + (stopReason === "length" ? 1 : 0),
    };
    this.#policyVersionMin = Math.min(this.#policyVersionMin, policyVersion);
    const newest = Math.max(policyVersion, ...(versionRuns ?? []).map((run) => run.policyVersion));
    this.#policyVersionMax = Math.max(this.#policyVersionMax, newest);
    this.#weightsHash = weightsHash;
  }
}

/** The part of a resumption state that the agent provides. */
type AgentState = Omit<EpisodeState, "counts" | "policyVersionMin" | "policyVersionMax">;

/** Returns the fields that a conversation with a single reply takes from that reply. */
export function sampledFields(
  { tokenIds, rolloutLogprobs, sampledLogprobs, stopReason, policyVersion, versionRuns }: GenerateResult,
  sampling: Sampling,
): Omit<Conversation, "kind" | "step" | "promptTokenIds"> {
  return {
    sampledTokenIds: tokenIds,
    rolloutLogprobs,
    // With plain sampling both are the same numbers, so they are sent only once.
    ...(sampledLogprobs === undefined || isPlain(sampling) ? {} : { sampledLogprobs }),
    sampling,
    stopReason,
    policyVersion,
    ...(versionRuns === undefined ? {} : { versionRuns }),
  };
}

function checkSample(sampled: GenerateResult, maxTokens: number): void {
  if (sampled.stopReason === "abort") {
    throw new AgentError(
      "SAMPLE_ABORTED",
      'sampler: returned stopReason "abort", but nothing aborted the generation; run the episode again',
    );
  }
  const { length } = sampled.tokenIds;
  if (length > maxTokens) {
    throw new AgentError(
      "BAD_SAMPLE",
      `sampler: returned ${length} tokens, but maxTokens is ${maxTokens}; fix the sampler`,
    );
  }
  for (const name of ["rolloutLogprobs", "sampledLogprobs"] as const) {
    const given = sampled[name]?.length ?? length;
    if (given !== length) {
      throw new AgentError(
        "BAD_SAMPLE",
        `sampler: returned ${given} ${name} for ${length} tokens; it must return one per token`,
      );
    }
  }
}
