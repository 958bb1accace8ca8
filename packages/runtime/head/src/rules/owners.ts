/**
 * Responsibility: who owns an actor or a placement group, and whether that owner has ended.
 * Not responsible for: detecting ends as they happen (actor-deaths.ts, actor-kills.ts, sessions.ts).
 *
 * Invariants:
 * - OWNER-7. Whatever an incarnation of an actor owns ends with it, except as OWNER-8 says, even if a head was killed between the two or has
 *   lost its tables. An actor of an ended owner that a node reports is not adopted, and its owner is never treated as
 *   a driver.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { hasProcess } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { PlacementGroupTable } from "../tables/placement-group-table.js";
import type { Sessions } from "../tables/sessions.js";
import type { ActorLifecycle } from "./actors/actor-lifecycle.js";
import type { PlacementGroups } from "./placement-groups.js";

export interface Owned {
  readonly ownerId: string;
  /** The incarnation of the owner if it is an actor; 0 if it is a session. */
  readonly ownerIncarnation: number;
  readonly detached: boolean;
}

/**
 * Checks that whatever is not detached has an owner whose end will be detected: a session or an actor.
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
      "owner_id is empty: give the id of an open Session, or set detached",
    );
  }
  const owner = actors.get(ownerId);
  if (owner === undefined && ownerIncarnation === 0) {
    sessions.expect(ownerId);
    return;
  }
  const runs = owner !== undefined && hasProcess(owner);
  if (!runs || (ownerIncarnation !== 0 && owner.incarnation !== ownerIncarnation)) {
    throw new PalimpsestError(
      "OWNER_DIED",
      `incarnation ${ownerIncarnation} of owner ${ownerId} has ended: only an owner that runs can spawn`,
    );
  }
}

/** Returns whether its owner is an actor, or an incarnation of one, that has ended. */
export function ownerHasEnded(actors: ActorTable, { ownerId, ownerIncarnation, detached }: Owned): boolean {
  const owner = detached ? undefined : actors.get(ownerId);
  if (owner === undefined) return false;
  if (owner.state === "DEAD") return true;
  // An incarnation higher than the table's is already running: the store has lost its last writes.
  if (ownerIncarnation === 0 || ownerIncarnation > owner.incarnation) return false;
  return ownerIncarnation < owner.incarnation || !hasProcess(owner);
}

/** Ends everything for which ownerHasEnded() holds (OWNER-7). */
export function endOrphans({
  actors,
  lifecycle,
  groups,
  groupTable,
}: {
  readonly actors: ActorTable;
  readonly lifecycle: Pick<ActorLifecycle, "kill">;
  readonly groups: PlacementGroups;
  readonly groupTable: PlacementGroupTable;
}): void {
  const reasonOf = ({ ownerId, ownerIncarnation }: Owned) =>
    `its owner, incarnation ${ownerIncarnation} of actor ${ownerId}, had ended`;
  for (const { spec } of [...actors.all()]) {
    // The actor is read again, because killing an owner kills the actors it owned.
    if (actors.get(spec.actorId)?.state === "DEAD" || !ownerHasEnded(actors, spec)) continue;
    void lifecycle.kill(spec.actorId, { noRestart: true, reason: reasonOf(spec) });
  }
  for (const { spec, state } of [...groupTable.all()])
    if (state !== "REMOVED" && ownerHasEnded(actors, spec)) void groups.remove(spec.groupId, reasonOf(spec));
}

/** Gives drivers that own something time to come back to a head that has never seen them (OWNER-3). */
export function expectDrivers(
  {
    actors,
    sessions,
    groupTable,
  }: {
    readonly actors: ActorTable;
    readonly sessions: Sessions;
    readonly groupTable: PlacementGroupTable;
  },
  graceMs: number,
): void {
  const living = [...actors.all()].filter(({ state }) => state !== "DEAD");
  for (const { spec } of [...living, ...groupTable.all()])
    if (!spec.detached && actors.get(spec.ownerId) === undefined) sessions.expect(spec.ownerId, graceMs);
}
