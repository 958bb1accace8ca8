/**
 * Responsibility: keeping the references of replies to one caller until the caller has its own leases.
 *
 * Invariants:
 * - KEPT-1. The references of a reply are kept until the reply is taken, or for `graceMs` after the caller's stream has
 *   ended, because a caller that has read the reply is about to take its leases.
 *
 * When more than `maxReplies` replies have not been taken, the oldest are released.
 */
import { OldestFirstMap } from "@palimpsest/wire";

const graceMs = 10_000;
const maxReplies = 10_000;

export class KeptReplies {
  readonly #replies = new OldestFirstMap<number, () => void>();

  keep(callId: number, release: () => void): void {
    this.#replies.set(callId, release);
    if (this.#replies.size > maxReplies && this.#replies.oldest !== undefined)
      this.taken(this.#replies.oldest);
  }

  taken(callId: number): void {
    const release = this.#replies.get(callId);
    this.#replies.delete(callId);
    release?.();
  }

  callerLeft(): void {
    if (this.#replies.size === 0) return;
    const releases = [...this.#replies.values()];
    this.#replies.clear();
    setTimeout(() => {
      for (const release of releases) release();
    }, graceMs).unref();
  }
}
