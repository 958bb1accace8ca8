import type { Claim, GroupRequest } from "@palimpsest/scheduler";
import { bundleLease, groupRequestOf, type PlacementGroup } from "../tables/placement-group.js";
import type { Demand } from "./demand.js";

/** The groups with pending bundles, the longest waiting one first. Each pending bundle is also registered as demand. */
export class WaitingGroups {
  readonly #demand: Demand;
  readonly #groups = new Map<string, PlacementGroup>();

  constructor(demand: Demand) {
    this.#demand = demand;
  }

  get ids(): string[] {
    return [...this.#groups.keys()];
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Returns the missing bundles of groups. */
  requests(wanted: (group: PlacementGroup) => boolean): GroupRequest[] {
    return [...this.#groups.values()].filter(wanted).map(groupRequestOf);
  }

  has(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  /** Adds a group, or updates which of its bundles are pending. */
  add(group: PlacementGroup, claim: Claim): void {
    const { groupId, ownerId } = group.spec;
    this.#groups.set(groupId, group);
    const { bundles, placed } = groupRequestOf(group);
    for (const [index, request] of bundles.entries())
      if (!placed?.has(index)) this.#demand.add(bundleLease(groupId, index), ownerId, { ...request, claim });
  }

  delete(groupId: string): void {
    const group = this.#groups.get(groupId);
    if (group === undefined) return;
    this.#groups.delete(groupId);
    for (const index of group.spec.bundles.keys()) this.#demand.delete(bundleLease(groupId, index));
  }
}
