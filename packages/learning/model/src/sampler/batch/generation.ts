import { ModelError } from "../../base/error.js";
import type { CacheLease } from "../calls/cache-pool.js";
import type { DeviceRow, SampledRow } from "../calls/sampling-device.js";
import type { FinishReason, GenerateRequest, GenerateResult, TopLogprobs } from "../draw/request.js";
import { Guesses } from "./guesses.js";
import type { StopMatcher } from "./stop-matcher.js";
import type { PolicyName } from "./weight-changes.js";

/** The state of one request: how much of its prompt is read, what is sampled, and when it ends. */
export class Generation {
  readonly request: GenerateRequest;
  readonly arrivedAtMs = performance.now();
  /** Its part of the cache; absent while it waits. */
  lease: CacheLease | undefined;
  /** Whether a value computed for it was not finite: its pages must then not be kept. */
  isPoisoned = false;
  /** Prompt tokens whose entries are in the cache. */
  readTokens = 0;
  /** Resolves or rejects the caller's promise and forgets the signal; later calls do nothing. */
  readonly settle: (outcome: GenerateResult | { readonly error: unknown }) => void;
  readonly #stops: StopMatcher | undefined;
  readonly #tokenIds: number[] = [];
  readonly #rolloutLogprobs: number[] = [];
  readonly #sampledLogprobs: number[] = [];
  readonly #topLogprobs: TopLogprobs[] = [];
  readonly #versionRuns: { readonly policyVersion: number; tokens: number }[] = [];
  readonly #guesses: Guesses;
  /** Prompt and reply, with room for the rest of the reply. */
  readonly #history: Int32Array;

  constructor(
    request: GenerateRequest,
    stops: StopMatcher | undefined,
    settle: (outcome: GenerateResult | { readonly error: unknown }) => void,
  ) {
    this.request = request;
    const { promptTokenIds, maxTokens } = request;
    this.#guesses = new Guesses(promptTokenIds);
    this.#history = new Int32Array(promptTokenIds.length + maxTokens);
    this.#history.set(promptTokenIds);
    this.#stops = stops;
    this.settle = settle;
  }

  get isReading(): boolean {
    return this.readTokens < this.request.promptTokenIds.length;
  }

  /** Number of prompt tokens still to be read. */
  get unreadTokens(): number {
    return this.request.promptTokenIds.length - this.readTokens;
  }

  /** Number of tokens that it may still sample. */
  get remainingTokens(): number {
    return this.request.maxTokens - this.#tokenIds.length;
  }

  get sampledTokens(): number {
    return this.#tokenIds.length;
  }

  /** Number of its cache entries that are written: those of all tokens but the last sampled one. */
  get writtenTokens(): number {
    return this.isReading || this.#tokenIds.length === 0
      ? this.readTokens
      : this.request.promptTokenIds.length + this.#tokenIds.length - 1;
  }

  /** The tokens of those entries. */
  get writtenTokenIds(): number[] {
    return [...this.request.promptTokenIds, ...this.#tokenIds].slice(0, this.writtenTokens);
  }

  /** The last sampled token and guesses of what follows it; undefined if nothing can be guessed. */
  guessedRow(most: number): DeviceRow | undefined {
    return this.#rowOf(this.#guesses.next(this.#tokenIds, Math.min(most, this.remainingTokens - 1)));
  }

  /** The same with as many guesses as pay off. @param passCosts the time of a pass of one token, two tokens, … */
  worthwhileRow(passCosts: readonly number[]): DeviceRow | undefined {
    return this.#rowOf(this.#guesses.worthwhile(this.#tokenIds, this.remainingTokens - 1, passCosts));
  }

  #rowOf(guess: readonly number[]): DeviceRow | undefined {
    if (guess.length === 0) return undefined;
    return { ...this.deviceRow(), tokenIds: [...this.#tokenIds.slice(-1), ...guess] };
  }

  /** Keeps the valid part of a checked row: up to the first token that was not guessed. */
  verified(row: DeviceRow, sampled: SampledRow): SampledRow {
    const wrong = sampled.findIndex(({ tokenId }, i) => tokenId !== row.tokenIds[i + 1]);
    const right = wrong === -1 ? sampled.length - 1 : wrong;
    this.#guesses.note(right, this.#tokenIds.length + right + 1);
    return sampled.slice(0, right + 1);
  }

  /** @param piece number of prompt tokens that the call reads; without it the call continues from the last sampled token */
  deviceRow(piece?: number): DeviceRow {
    const { promptTokenIds, seed, stopTokenIds } = this.request;
    const { pages, source, sharedTokens } = this.lease as CacheLease;
    return {
      pages,
      // Shared entries are copied once, before the first piece.
      ...(source === undefined || this.readTokens > sharedTokens ? {} : { source }),
      past: this.writtenTokens,
      tokenIds:
        piece === undefined
          ? this.#tokenIds.slice(-1)
          : promptTokenIds.slice(this.readTokens, this.readTokens + piece),
      rule: this.request,
      seed,
      sampled: this.#tokenIds.length,
      remaining: this.remainingTokens,
      stopTokenIds,
      history: this.#history.subarray(0, promptTokenIds.length + this.#tokenIds.length),
    };
  }

  /**
   * Keeps sampled tokens up to the stop or the limit, and drops what a call sampled beyond it.
   * @param policy the weights that sampled them
   * @returns the result if the request has ended
   * @throws {ModelError} NOT_FINITE if the model gives NaN; whatever onTokens throws
   */
  take(sampled: SampledRow, { policyVersion, weightsHash }: PolicyName): GenerateResult | undefined {
    const { request } = this;
    const before = this.#tokenIds.length;
    let finish: { readonly reason: FinishReason; readonly stopString?: string } | undefined;
    for (const { tokenId, rolloutLogprob, sampledLogprob, top } of sampled) {
      if (!Number.isFinite(rolloutLogprob) || !Number.isFinite(sampledLogprob)) {
        const message = `the model computed ${rolloutLogprob} as a log-prob, so its weights have diverged; load other weights`;
        throw new ModelError("NOT_FINITE", message);
      }
      this.#history[request.promptTokenIds.length + this.#tokenIds.length] = tokenId;
      this.#tokenIds.push(tokenId);
      this.#rolloutLogprobs.push(rolloutLogprob);
      this.#sampledLogprobs.push(sampledLogprob);
      if (top !== undefined) this.#topLogprobs.push(top);
      const stopString = this.#stops?.match(this.#tokenIds);
      if (stopString !== undefined) finish = { reason: "stop", stopString };
      else if (request.stopTokenIds.includes(tokenId)) finish = { reason: "stop" };
      else if (this.remainingTokens === 0) finish = { reason: "length" };
      if (finish !== undefined) break;
    }
    this.#noteVersion(policyVersion, this.#tokenIds.length - before);
    request.onTokens?.(this.#tokenIds.slice(before), {
      rolloutLogprobs: this.#rolloutLogprobs.slice(before),
      sampledLogprobs: this.#sampledLogprobs.slice(before),
      ...(this.#topLogprobs.length === 0 ? {} : { topLogprobs: this.#topLogprobs.slice(before) }),
    });
    if (finish === undefined) return undefined;
    const { reason, ...stop } = finish;
    return {
      tokenIds: this.#tokenIds,
      rolloutLogprobs: this.#rolloutLogprobs,
      sampledLogprobs: this.#sampledLogprobs,
      ...(this.#topLogprobs.length === 0 ? {} : { topLogprobs: this.#topLogprobs }),
      stopReason: reason,
      ...stop,
      policyVersion: Math.min(...this.#versionRuns.map((run) => run.policyVersion)),
      ...(this.#versionRuns.length > 1 ? { versionRuns: this.#versionRuns } : {}),
      weightsHash,
    };
  }

  #noteVersion(policyVersion: number, tokens: number): void {
    const last = this.#versionRuns.at(-1);
    if (last?.policyVersion === policyVersion) last.tokens += tokens;
    else this.#versionRuns.push({ policyVersion, tokens });
  }
}
