/**
 * Responsibility: matches the two sides of an exchange in one process: what this rank gives, and what another rank brings.
 * Not responsible for: how the other's message arrives here.
 *
 * Invariants:
 * - SWAP-1. No call waits longer than the deadline. After a failure no call waits at all: each rejects with the
 *   failure.
 */
export class SwapBox {
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, Side>();
  readonly #rejects = new Set<(reason: unknown) => void>();
  #failure: { readonly reason: unknown } | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** This rank's side: resolves with what `rank` brings. @throws after the deadline, or the reason of the failure */
  async give(rank: number, tag: string, value: unknown): Promise<unknown> {
    return await this.#meet(rank, tag, value, "own");
  }

  /**
   * The other side: resolves with what this rank gives it.
   * @param waitMs how long it waits; default: until the deadline
   * @throws as `give`
   */
  async bring(rank: number, tag: string, value: unknown, waitMs = this.#timeoutMs): Promise<unknown> {
    return await this.#meet(rank, tag, value, "other", waitMs);
  }

  /** Rejects everything that waits, and everything from now on, with the reason. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    for (const reject of this.#rejects) reject(reason);
    this.#waiting.clear();
  }

  async #meet(
    rank: number,
    tag: string,
    value: unknown,
    side: "own" | "other",
    waitMs = this.#timeoutMs,
  ): Promise<unknown> {
    if (this.#failure !== undefined) throw this.#failure.reason;
    const key = `${rank} ${tag}`;
    const met = this.#waiting.get(key);
    if (met !== undefined) {
      this.#waiting.delete(key);
      if (met.side === side) throw new Error(`rank ${rank} sent "${tag}" twice`);
      met.resolve(value);
      return met.value;
    }
    return await new Promise<unknown>((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.#rejects.delete(failed);
        settle();
      };
      const failed = (reason: unknown) => end(() => reject(reason));
      const timer = setTimeout(() => {
        this.#waiting.delete(key);
        failed(new SwapTimeout(`rank ${rank} did not send "${tag}" within ${waitMs / 1000} s`));
      }, waitMs);
      this.#rejects.add(failed);
      this.#waiting.set(key, { side, value, resolve: (theirs) => end(() => resolve(theirs)) });
    });
  }
}

/** The other side had not come when the wait was over. */
export class SwapTimeout extends Error {}

interface Side {
  readonly side: "own" | "other";
  readonly value: unknown;
  readonly resolve: (theirs: unknown) => void;
}
