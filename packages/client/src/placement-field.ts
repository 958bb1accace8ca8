import type * as proto from "@palimpsest/wire/protocol";
import type { ActorOptions, ResolvedActorOptions } from "./config.js";

/**
 * The placement group of an actor or a task, as the field of a request: the one that it names, or else the one that
 * captures what its owner spawns. Whoever names labels or a strategy chooses among nodes, so the capture does not hold.
 * @param given the options as they were written, without defaults
 * @param capturedBy id of that group; empty: there is none
 */
export function placementField(
  placement: ResolvedActorOptions["placement"],
  given: Pick<ActorOptions, "labels" | "strategy">,
  capturedBy: string,
): proto.GroupPlacement.$Properties | null {
  if (placement !== undefined) {
    const { group, bundle, captureChildren } = placement;
    return { groupId: group.groupId, bundle: bundle ?? null, captureChildren };
  }
  if (capturedBy === "" || given.labels !== undefined || given.strategy !== undefined) return null;
  return { groupId: capturedBy, captureChildren: true };
}
