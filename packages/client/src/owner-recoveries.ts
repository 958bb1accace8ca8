/**
 * Responsibility: has results of other programs' tasks made again by the programs that ran them, over this program's node
 *   and the head.
 * Not responsible for: results of this program's own tasks (task-lineage.ts).
 *
 * Invariants:
 * - OWNERRECOVERY-1. A result is asked for once for all who wait for it here, and no longer than this program refers to it.
 * - OWNERRECOVERY-2. As long as the owner lives it is waited for. One that the head says has ended fails at once with
 *   OBJECT_LOST, and one of which no head knows anything after `unheardLimitMs`.
 */
import type { Clock, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { notAgain } from "./task-lineage.js";

/** A head that was started again hears of programs within its grace. */
const unheardLimitMs = 120_000;

export interface OwnerRecoveriesDeps {
  /** Asks the owner and waits a moment for its answer. @throws {PalimpsestError} what the owner says */
  readonly ask: (objectId: string, ownerId: string) => Promise<proto.Recovery.$Properties>;
  readonly isReferredTo: (objectId: string) => boolean;
  /** The hold went with the node that is gone. */
  readonly holdAgain: (objectId: string) => Promise<void>;
  readonly clock: Clock;
}

export class OwnerRecoveries {
  readonly #deps: OwnerRecoveriesDeps;
  readonly #open = new Map<string, Promise<void>>();

  constructor(deps: OwnerRecoveriesDeps) {
    this.#deps = deps;
  }

  /** Settles when it is there again. @throws {PalimpsestError} OBJECT_LOST, what the task threw */
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
        throw notAgain(why, `${ownerId}, whose task made it, is not there`);
    }
    throw notAgain(why, "this program has released it meanwhile");
  }
}
