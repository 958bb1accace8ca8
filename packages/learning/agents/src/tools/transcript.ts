import type { Conversation } from "@palimpsest/memory/records";
import { isPlain, type Sampling } from "@palimpsest/memory/records";
import type { GenerateResult } from "../sampler.js";

/** A growing conversation of sampled turns, which are trained, and tool results between them, which are not. */
export class Transcript {
  readonly #prompt: readonly number[];
  readonly #tokens: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #sampling: Sampling;
  /**
   * The log-probs under the distribution that was sampled; undefined if sampling is plain, so that they are the same as
   * the rollout log-probs, or if a turn came without them.
   */
  #sampledLogprobs: number[] | undefined;
  readonly #mask: number[] = [];
  #stopReason: Conversation["stopReason"] = "stop";
  #policyVersion = Number.POSITIVE_INFINITY;
  readonly #versionRuns: { policyVersion: number; tokens: number }[] = [];
  /** The number of tokens before the first turn, which are counted as that turn's policy version. */
  #leadingTokens = 0;

  constructor(promptTokenIds: readonly number[], sampling: Sampling) {
    this.#prompt = promptTokenIds;
    this.#sampling = sampling;
    this.#sampledLogprobs = isPlain(sampling) ? undefined : [];
  }

  /** The number of tokens after the prompt. */
  get length(): number {
    return this.#tokens.length;
  }

  /** Returns the prompt and everything after it. */
  tokenIds(): number[] {
    return [...this.#prompt, ...this.#tokens];
  }

  addTurn(turn: GenerateResult): void {
    const { tokenIds, rolloutLogprobs, sampledLogprobs, stopReason, policyVersion, versionRuns } = turn;
    for (const [i, id] of tokenIds.entries()) this.#add(id, rolloutLogprobs[i] as number, 1);
    if (sampledLogprobs === undefined) this.#sampledLogprobs = undefined;
    else this.#sampledLogprobs?.push(...sampledLogprobs);
    this.#stopReason = stopReason;
    // The row gets the oldest version that sampled any of its turns, which bounds its staleness.
    this.#policyVersion = Math.min(this.#policyVersion, policyVersion);
    if (tokenIds.length === 0) return;
    for (const next of versionRuns ?? [{ policyVersion, tokens: tokenIds.length }]) {
      const run = this.#versionRuns.at(-1);
      if (run?.policyVersion === next.policyVersion) run.tokens += next.tokens;
      else this.#versionRuns.push({ ...next, tokens: this.#takeLeading() + next.tokens });
    }
  }

  #takeLeading(): number {
    const tokens = this.#leadingTokens;
    this.#leadingTokens = 0;
    return tokens;
  }

  addMasked(tokenIds: readonly number[]): void {
    for (const id of tokenIds) {
      this.#add(id, 0, 0);
      this.#sampledLogprobs?.push(0);
    }
    const run = this.#versionRuns.at(-1);
    if (run === undefined) this.#leadingTokens += tokenIds.length;
    else run.tokens += tokenIds.length;
  }

  /** Returns a copy of the current conversation, which later turns do not change. */
  conversation(): Conversation {
    return {
      kind: "tool",
      step: 0,
      promptTokenIds: this.#prompt,
      sampledTokenIds: [...this.#tokens],
      rolloutLogprobs: [...this.#logprobs],
      ...(this.#sampledLogprobs ? { sampledLogprobs: [...this.#sampledLogprobs] } : {}),
      sampling: this.#sampling,
      lossMask: [...this.#mask],
      stopReason: this.#stopReason,
      policyVersion: this.#policyVersion,
      ...(this.#versionRuns.length > 1 ? { versionRuns: this.#versionRuns.map((run) => ({ ...run })) } : {}),
    };
  }

  #add(id: number, logprob: number, trained: 0 | 1): void {
    this.#tokens.push(id);
    this.#logprobs.push(logprob);
    this.#mask.push(trained);
  }
}
