import type { Conversation } from "@palimpsest/trajectories";
import type { GenerateResult } from "../sampler.js";

/** A conversation that grows: sampled turns, which are trained, and the tools' words between them, which are not. */
export class Transcript {
  readonly #prompt: readonly number[];
  readonly #tokens: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #mask: number[] = [];
  #stopReason: Conversation["stopReason"] = "stop";
  #policyVersion = Number.POSITIVE_INFINITY;

  constructor(promptTokenIds: readonly number[]) {
    this.#prompt = promptTokenIds;
  }

  /** Tokens after the prompt. */
  get length(): number {
    return this.#tokens.length;
  }

  /** Prompt and all that followed. */
  tokenIds(): number[] {
    return [...this.#prompt, ...this.#tokens];
  }

  addTurn({ tokenIds, rolloutLogprobs, stopReason, policyVersion }: GenerateResult): void {
    for (const [i, id] of tokenIds.entries()) this.#add(id, rolloutLogprobs[i] as number, 1);
    this.#stopReason = stopReason;
    // The oldest of the weights that sampled: how stale the row is at most.
    this.#policyVersion = Math.min(this.#policyVersion, policyVersion);
  }

  addMasked(tokenIds: readonly number[]): void {
    for (const id of tokenIds) this.#add(id, 0, 0);
  }

  /** As it is now: later turns do not touch it. */
  conversation(): Conversation {
    return {
      kind: "tool",
      step: 0,
      promptTokenIds: this.#prompt,
      sampledTokenIds: [...this.#tokens],
      rolloutLogprobs: [...this.#logprobs],
      lossMask: [...this.#mask],
      stopReason: this.#stopReason,
      policyVersion: this.#policyVersion,
    };
  }

  #add(id: number, logprob: number, trained: 0 | 1): void {
    this.#tokens.push(id);
    this.#logprobs.push(logprob);
    this.#mask.push(trained);
  }
}
