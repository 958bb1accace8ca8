/**
 * Responsibility: tells the person who runs a driver why its actors and tasks wait, after five seconds and again when a
 * reason changes.
 * Not responsible for: the reasons, which the head computes.
 *
 * Invariants:
 * - NOTICES-1. A reason is told once as long as it holds, and at most five are told at once.
 * - NOTICES-2. The head is asked only while something of this program may wait. That it gives no answer is told once, the
 *   second time in a row.
 */
import type { Clock } from "@palimpsest/std";
import { reasonText } from "@palimpsest/std/input";
import type { ActorInfo } from "../base/actor-view.js";

export interface WaitingNoticesDeps {
  readonly clock: Clock;
  /** Returns the actors, and the workers of tasks, that this program has created and that wait. */
  readonly waiting: () => Promise<readonly Pick<ActorInfo, "actorId" | "role" | "name" | "pendingReason">[]>;
  readonly write: (line: string) => void;
}

const everyMs = 5_000;
const maxReasons = 5;

export class WaitingNotices {
  readonly #deps: WaitingNoticesDeps;
  #told: ReadonlySet<string> = new Set();
  #createdAtMs = 0;
  #cancel: (() => void) | undefined;
  #unanswered = 0;
  #isClosed = false;

  constructor(deps: WaitingNoticesDeps) {
    this.#deps = deps;
  }

  /** Called when something was created that may have to wait. */
  created(): void {
    this.#createdAtMs = this.#deps.clock.monotonicMs();
    this.#lookLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #lookLater(afterMs = everyMs): void {
    if (this.#cancel || this.#isClosed) return;
    this.#cancel = this.#deps.clock.after(afterMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, waiting, write } = this.#deps;
    let failure: unknown;
    const actors = await waiting().catch((reason: unknown) => {
      failure = reason;
      return undefined;
    });
    this.#cancel = undefined;
    if (this.#isClosed) return;
    if (actors === undefined) {
      this.#unanswered += 1;
      if (this.#unanswered === 2)
        write(`palimpsest: actors and tasks wait, and the head does not say why: ${reasonText(failure)}\n`);
      // A head that cannot be asked now is asked again.
      this.#lookLater();
      return;
    }
    this.#unanswered = 0;
    const byReason = new Map<string, string[]>();
    for (const { pendingReason, role, name, actorId } of actors) {
      if (pendingReason === "") continue;
      const title = `${role || "actor"} ${name || actorId}`;
      byReason.set(pendingReason, [...(byReason.get(pendingReason) ?? []), title]);
    }
    // What was created a moment ago has not waited for long.
    const waitedMs = clock.monotonicMs() - this.#createdAtMs;
    const isLong = waitedMs >= everyMs;
    const fresh = [...byReason].filter(([reason]) => !this.#told.has(reason)).slice(0, maxReasons);
    if (isLong) {
      for (const [reason, [first = "", ...others]] of fresh)
        write(
          `palimpsest: ${first}${others.length > 0 ? ` and ${others.length} more wait` : " waits"}: ${reason}\n`,
        );
      const told = new Set(fresh.map(([reason]) => reason));
      this.#told = new Set(
        [...byReason.keys()].filter((reason) => this.#told.has(reason) || told.has(reason)),
      );
    }
    if (isLong && actors.length > 0) this.#lookLater();
    else if (!isLong) this.#lookLater(everyMs - waitedMs);
  }
}
