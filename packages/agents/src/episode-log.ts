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

/** Samples the single-turn conversations of one episode and keeps the books: counts, versions, what was kept. */
export class EpisodeLog {
  readonly conversations: Conversation[] = [];
  readonly steps: MemoryStep[] = [];
  /** Whether somebody keeps or watches the steps; else their texts need not be made. */
  readonly observed: boolean;
  readonly #sampler: Sampler;
  readonly #options: RunOptions;
  /** How every reply of the episode is drawn. */
  readonly sampling: Sampling;
  readonly #stopTokenIds: readonly number[];
  #counts: SampleCounts;
  /** Samples that were begun: the seed of each follows from how many were before it, not from who was answered first. */
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

  /** Totals of the episode, those before a resumption included. */
  get counts(): SampleCounts {
    return this.#counts;
  }

  /**
   * Samples one reply; its seed follows from the episode's and from its place.
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
   * One reply that is not yet a conversation, or a part of one; it counts as a conversation.
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
        // An agent that asks again is answered as if nothing had happened.
        if (this.#begun === place + 1) this.#begun = place;
        throw reason;
      });
    signal?.throwIfAborted();
    checkSample(sampled, maxTokens);
    this.#count(promptTokenIds.length, sampled);
    return sampled;
  }

  /** Keeps a conversation where conversations are kept. */
  keep(conversation: Conversation): void {
    if (this.#keeps) this.conversations.push(conversation);
  }

  countEmptyUpdate(): void {
    this.#counts = { ...this.#counts, emptyUpdates: this.#counts.emptyUpdates + 1 };
  }

  /** Keeps a step where steps are kept and tells whoever watches. */
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

  /** The part of an episode's result that does not depend on what the agent does. */
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

  #count(promptTokens: number, { tokenIds, stopReason, policyVersion, weightsHash }: GenerateResult): void {
    const counts = this.#counts;
    this.#counts = {
      ...counts,
      conversations: counts.conversations + 1,
      promptTokens: counts.promptTokens + promptTokens,
      sampledTokens: counts.sampledTokens + tokenIds.length,
      truncated: counts.truncated + (stopReason === "length" ? 1 : 0),
    };
    this.#policyVersionMin = Math.min(this.#policyVersionMin, policyVersion);
    this.#policyVersionMax = Math.max(this.#policyVersionMax, policyVersion);
    this.#weightsHash = weightsHash;
  }
}

/** What the agent itself must know to go on. */
type AgentState = Omit<EpisodeState, "counts" | "policyVersionMin" | "policyVersionMax">;

/** What a conversation of one reply has of that reply. */
export function sampledFields(
  { tokenIds, rolloutLogprobs, sampledLogprobs, stopReason, policyVersion }: GenerateResult,
  sampling: Sampling,
): Omit<Conversation, "kind" | "step" | "promptTokenIds"> {
  return {
    sampledTokenIds: tokenIds,
    rolloutLogprobs,
    // At plain sampling they are the same numbers, which need not be carried twice.
    ...(sampledLogprobs === undefined || isPlain(sampling) ? {} : { sampledLogprobs }),
    sampling,
    stopReason,
    policyVersion,
  };
}

function checkSample(sampled: GenerateResult, maxTokens: number): void {
  if (sampled.stopReason === "abort") {
    throw new AgentError(
      "SAMPLE_ABORTED",
      "sampler: ended a generation that nobody aborted; run the episode again",
    );
  }
  const { length } = sampled.tokenIds;
  if (length > maxTokens) {
    throw new AgentError(
      "BAD_SAMPLE",
      `sampler: returned ${length} tokens, but maxTokens is ${maxTokens}: fix the sampler`,
    );
  }
  for (const name of ["rolloutLogprobs", "sampledLogprobs"] as const) {
    const given = sampled[name]?.length ?? length;
    if (given !== length) {
      throw new AgentError(
        "BAD_SAMPLE",
        `sampler: gave ${given} ${name} for ${length} tokens; it must give one per token`,
      );
    }
  }
}
