/**
 * Responsibility: keeps what replies to one caller refer to until the caller says that it holds it itself.
 *
 * Invariants:
 * - KEPT-1. What a reply refers to is kept until it is taken, or `graceMs` after the caller's stream has ended: a caller
 *   that has read the reply is about to hold it.
 *
 * Of more than `maxReplies` replies that are not taken the oldest are let go.
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
