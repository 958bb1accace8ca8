import { PalimpsestError } from "@palimpsest/wire";
import type { ActorTable } from "./actor-table.js";
import type { Sessions } from "./sessions.js";

export interface Owned {
  readonly ownerId: string;
  /** Of the actor that is the owner; 0 when a session is. */
  readonly ownerIncarnation: number;
  readonly detached: boolean;
}

/**
 * Everything that is not detached has an owner whose end is noticed: a session or an actor.
 * @throws {PalimpsestError} INVALID_ARGUMENT without an owner; OWNER_DIED when it has ended
 */
export function expectOwner(
  { actors, sessions }: { readonly actors: ActorTable; readonly sessions: Sessions },
  { ownerId, ownerIncarnation, detached }: Owned,
): void {
  if (detached) return;
  if (ownerId === "") {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "owner_id is empty: open a Session and name it, or set detached",
    );
  }
  const owner = actors.get(ownerId);
  if (owner === undefined && ownerIncarnation === 0) {
    sessions.expect(ownerId);
    return;
  }
  const runs = owner?.state === "STARTING" || owner?.state === "ALIVE";
  if (!runs || (ownerIncarnation !== 0 && owner.incarnation !== ownerIncarnation)) {
    throw new PalimpsestError(
      "OWNER_DIED",
      `incarnation ${ownerIncarnation} of owner ${ownerId} has ended: what it spawns now would belong to nobody`,
    );
  }
}
