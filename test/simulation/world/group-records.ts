/** Records what drivers asked of placement groups and what they were told. */
import * as proto from "@palimpsest/wire/protocol";
import type { World } from "./world.js";

export interface PlannedGroup {
  readonly strategy: "PACK" | "SPREAD" | "STRICT_PACK" | "STRICT_SPREAD";
  readonly bundles: readonly { readonly cpu: number }[];
  readonly lifetime: "owner" | "detached";
  readonly sessionId: string;
}

export class GroupRecords {
  readonly #world: World;
  /** Groups whose creation was acknowledged. */
  readonly planned = new Map<string, PlannedGroup>();
  /** Groups whose removal was acknowledged, or that have ended for another reason. */
  readonly removedIds = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.redis.observers.add({
      row: ({ table, key, bytes }) => {
        if (table === "groups" && bytes === undefined) this.removedIds.add(key);
      },
    });
  }

  /** JOURNAL-2: what the client was told is in the store. */
  acknowledged(groupId: string, planned: PlannedGroup, lossesBefore: number): void {
    this.planned.set(groupId, planned);
    this.#world.records.counts.groups++;
    if (this.#unchanged(lossesBefore) && !this.removedIds.has(groupId) && this.#row(groupId) === undefined)
      this.#violation("JOURNAL-2", `${groupId} was acknowledged and is not in the store`);
  }

  /** PGROUP-1: a group that is reported as created has the places of all bundles in the store. */
  created(groupId: string, lossesBefore: number): void {
    if (!this.#unchanged(lossesBefore) || this.removedIds.has(groupId)) return;
    const row = this.#row(groupId);
    // A node of the group may have died in the meantime.
    if (row?.state === proto.PlacementGroupState.PLACEMENT_GROUP_STATE_PENDING)
      this.#violation("PGROUP-1", `${groupId} was called created and is pending in the store`);
  }

  removed(groupId: string, lossesBefore: number): void {
    this.removedIds.add(groupId);
    if (this.#unchanged(lossesBefore) && this.#row(groupId) !== undefined)
      this.#violation("JOURNAL-2", `the removal of ${groupId} was acknowledged, and it is in the store`);
  }

  gone(groupId: string): void {
    this.removedIds.add(groupId);
  }

  #unchanged(lossesBefore: number): boolean {
    return this.#world.redis.losses === lossesBefore;
  }

  #row(groupId: string): proto.PlacementGroupInfo | undefined {
    const row = this.#world.redis.rows("groups").get(groupId);
    return row && proto.PlacementGroupInfo.decode(row);
  }

  #violation(invariant: string, text: string): void {
    this.#world.records.violation(invariant, text);
  }
}
