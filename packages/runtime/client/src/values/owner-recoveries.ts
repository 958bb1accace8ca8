/**
 * Responsibility: requests the reconstruction of results of other programs' tasks from the programs that ran them,
 * through this program's node and the head.
 * Not responsible for: results of this program's own tasks (task-lineage.ts).
 *
 * Invariants:
 * - OWNERRECOVERY-1. A result is requested once for all its waiters here, and only while this program refers to it.
 * - OWNERRECOVERY-2. The answer is waited for as long as the owner lives. A result whose owner has ended according to
 *   the head fails at once with OBJECT_LOST, and one of which no head knows anything fails after `unheardLimitMs`.
 */
import type { Clock } from "@palimpsest/std";
import type { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { notAgain } from "../base/task-lineage.js";

/** A head that was restarted learns of programs within its grace period. */
const unheardLimitMs = 120_000;

export interface OwnerRecoveriesDeps {
  /** Sends the request to the owner and waits a moment for its answer. @throws {PalimpsestError} the owner's error */
  readonly ask: (objectId: string, ownerId: string) => Promise<proto.Recovery.$Properties>;
  readonly isReferredTo: (objectId: string) => boolean;
  /** Restores the lease that was lost with its node. */
  readonly holdAgain: (objectId: string) => Promise<void>;
  readonly clock: Clock;
}

export class OwnerRecoveries {
  readonly #deps: OwnerRecoveriesDeps;
  readonly #open = new Map<string, Promise<void>>();

  constructor(deps: OwnerRecoveriesDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the result is available again.
   * @throws {PalimpsestError} OBJECT_LOST, the error that the task threw
   */
  recover(objectId: string, ownerId: string, why: PalimpsestError): Promise<void> {
    const known = this.#open.get(objectId);
    if (known !== undefined) return known;
    const asking = this.#ask(objectId, ownerId, why).finally(() => this.#open.delete(objectId));
    this.#open.set(objectId, asking);
    return asking;
  }

  async #ask(objectId: string, ownerId: string, why: PalimpsestError): Promise<void> {
    const { ask, isReferredTo, holdAgain, clock } = this.#deps;
    let heardAtMs = clock.monotonicMs();
    while (isReferredTo(objectId)) {
      const { answered, ownerLives } = await ask(objectId, ownerId);
      if (answered) return await holdAgain(objectId);
      const now = clock.monotonicMs();
      if (ownerLives) heardAtMs = now;
      else if (now - heardAtMs >= unheardLimitMs)
        throw notAgain(why, `${ownerId}, whose task created it, is gone`);
    }
    throw notAgain(why, "this program has released it in the meantime");
  }
}
