import type { ActorDied } from "@palimpsest/wire/protocol";

/**
 * Deaths that the head may not know of, because a message that was written just before a break can be lost. Each is
 * reported again after the next registration, and when its start is ordered again; the head recognizes them by actor
 * and incarnation.
 */
export class RecentDeaths {
  readonly #maxAgeMs: number;
  readonly #maxCount: number;
  /** The deaths by actor and incarnation, the oldest first. */
  readonly #deaths = new Map<string, { readonly message: ActorDied.$Properties; readonly atMs: number }>();

  constructor(maxAgeMs: number, maxCount = 1_000) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxCount = maxCount;
  }

  get size(): number {
    return this.#deaths.size;
  }

  add(message: ActorDied.$Properties, nowMs: number): void {
    this.#forgetOld(nowMs);
    const key = keyOf(message.actorId ?? "", message.incarnation ?? 0);
    this.#deaths.delete(key);
    this.#deaths.set(key, { message, atMs: nowMs });
    if (this.#deaths.size <= this.#maxCount) return;
    for (const oldest of this.#deaths.keys()) {
      this.#deaths.delete(oldest);
      break;
    }
  }

  /** Returns the death of that incarnation, whatever its age, as long as it is remembered. */
  of(actorId: string, incarnation: number): ActorDied.$Properties | undefined {
    return this.#deaths.get(keyOf(actorId, incarnation))?.message;
  }

  since(nowMs: number): readonly ActorDied.$Properties[] {
    this.#forgetOld(nowMs);
    return [...this.#deaths.values()].map(({ message }) => message);
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { atMs }] of this.#deaths) {
      if (nowMs - atMs <= this.#maxAgeMs) return;
      this.#deaths.delete(key);
    }
  }
}

function keyOf(actorId: string, incarnation: number): string {
  return `${actorId}#${incarnation}`;
}
