import { backoffMs, type Clock } from "@palimpsest/std";

/** An actor that dies within this time of becoming ALIVE died quickly, and waits longer for its next restart. */
const quickDeathMs = 10_000;
export const restartBackoff = { firstMs: 100, longestMs: 10_000 };

/** Delays the restarts of actors that die repeatedly. The first restart is immediate. */
export class RestartDelays {
  readonly #clock: Clock;
  readonly #aliveSinceMs = new Map<string, number>();
  readonly #quickDeaths = new Map<string, number>();
  readonly #failedAtMs = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a failed start. @returns the time since this actor's previous failure; 0 if this head saw none */
  failed(actorId: string): number {
    const now = this.#clock.monotonicMs();
    const before = this.#failedAtMs.get(actorId) ?? now;
    this.#failedAtMs.set(actorId, now);
    return now - before;
  }

  alive(actorId: string): void {
    this.#failedAtMs.delete(actorId);
    this.#aliveSinceMs.set(actorId, this.#clock.monotonicMs());
  }

  /** Runs the callback when the actor may be restarted. */
  after(actorId: string, callback: () => void): void {
    const now = this.#clock.monotonicMs();
    const livedMs = now - (this.#aliveSinceMs.get(actorId) ?? now);
    const deaths = livedMs < quickDeathMs ? (this.#quickDeaths.get(actorId) ?? 0) + 1 : 1;
    this.#aliveSinceMs.delete(actorId);
    this.#quickDeaths.set(actorId, deaths);
    if (deaths === 1) {
      callback();
      return;
    }
    this.wait(actorId, backoffMs(restartBackoff, deaths - 1), callback);
  }

  /** Runs the callback after the delay, and drops what the actor waited for before. */
  wait(actorId: string, delayMs: number, callback: () => void): void {
    this.#timers.get(actorId)?.();
    const cancel = this.#clock.after(delayMs, () => {
      this.#timers.delete(actorId);
      callback();
    });
    this.#timers.set(actorId, cancel);
  }

  /** Forgets the actor, because it is dead for good or was found alive. */
  cancel(actorId: string): void {
    this.#timers.get(actorId)?.();
    this.#timers.delete(actorId);
    this.#aliveSinceMs.delete(actorId);
    this.#quickDeaths.delete(actorId);
    this.#failedAtMs.delete(actorId);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
