import type { Actor } from "./actor.js";
import type { LeaseOptions } from "./node-leases.js";
import { bundleLease } from "./placement-group.js";

export const leasePrefix = "actor/";

export function leaseOf(actorId: string, incarnation: number): string {
  return `${leasePrefix}${actorId}#${incarnation}`;
}

/** Returns the options for reserving the lease of an actor that already has a node. */
export function leaseOptionsOf(
  { spec: { placement } }: Actor,
  gpuIds: readonly number[],
  bundle: number | undefined,
): LeaseOptions {
  if (placement === undefined || bundle === undefined) return { gpuIds };
  return { gpuIds, within: bundleLease(placement.groupId, bundle) };
}
