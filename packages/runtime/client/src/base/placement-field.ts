import type * as proto from "@palimpsest/wire/protocol";
import type { ActorOptions, ResolvedActorOptions } from "./config.js";

/**
 * Returns the placement group of an actor or a task, as the field of a request: the group that it names, else the one
 * that captures what its owner spawns. Options with labels or a strategy choose among all nodes, so that the capture
 * does not apply.
 * @param given the options as they were written, without defaults
 * @param capturedBy id of that group; empty if there is none
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
