/**
 * Responsibility: which leases end so that a request that waits finds room. It is pure.
 * Not responsible for: when that may be decided, or stopping anything (the head).
 *
 * Invariants:
 * - PREEMPT-1. A lease yields to a request of a higher priority, or of the same priority and another fairness key which
 *   even with the request's resources leases and uses no more by its weight than the lease's key does without them. So
 *   the lease that ended cannot take them back in the same way.
 * - PREEMPT-2. When the chosen leases have ended the request has room on the node, and without any one of them ending
 *   it has none.
 */
import { type Claim, noClaim } from "./claim.js";
import type { FairShares } from "./fair-shares.js";
import { giveBackGpus } from "./gpu-instances.js";
import { candidateOf, type NodeView, type PlacementRequest } from "./placement.js";
import { addQuantities, type Quantities } from "./resources.js";

/** A lease that may end for others. */
export interface Yielding {
  readonly name: string;
  readonly nodeId: string;
  readonly claim: Claim;
  readonly quantities: Quantities;
  readonly gpuIds: readonly number[];
  /** When it began, on any clock. Of equal leases the latest ends, because the least work is lost with it. */
  readonly sinceMs: number;
}

export interface Preemption {
  readonly nodeId: string;
  readonly victims: readonly Yielding[];
}

/** Returns the leases that end for the request: on one node, of the lowest priority, as few as possible there. */
export function choosePreemption(
  nodes: Iterable<NodeView>,
  leases: readonly Yielding[],
  request: PlacementRequest,
  shares: Pick<FairShares, "mayTake" | "score">,
): Preemption | undefined {
  const byNode = new Map<string, Yielding[]>();
  for (const lease of leases) byNode.set(lease.nodeId, [...(byNode.get(lease.nodeId) ?? []), lease]);
  let best: Preemption | undefined;
  for (const node of nodes) {
    const victims = victimsOn(node, byNode.get(node.nodeId) ?? [], request, shares);
    const choice = victims && { nodeId: node.nodeId, victims };
    if (choice && (best === undefined || compare(choice, best) < 0)) best = choice;
  }
  return best;
}

function victimsOn(
  node: NodeView,
  leases: readonly Yielding[],
  request: PlacementRequest,
  shares: Pick<FairShares, "mayTake" | "score">,
): readonly Yielding[] | undefined {
  const { claim = noClaim, resources } = request;
  const inOrder = [...leases].sort(
    (a, b) =>
      a.claim.priority - b.claim.priority ||
      shares.score(b.claim.fairnessKey) - shares.score(a.claim.fairnessKey) ||
      b.sinceMs - a.sinceMs,
  );
  const given = new Map<string, Quantities>();
  let chosen: Yielding[] = [];
  for (const lease of inOrder) {
    if (hasRoomWithout(node, chosen, request)) break;
    const { priority, fairnessKey } = lease.claim;
    if (priority > claim.priority) break;
    const all = addQuantities(given.get(fairnessKey) ?? {}, lease.quantities);
    // PREEMPT-1
    if (priority === claim.priority && !shares.mayTake(claim.fairnessKey, resources, fairnessKey, all))
      continue;
    given.set(fairnessKey, all);
    chosen.push(lease);
  }
  if (!hasRoomWithout(node, chosen, request)) return undefined;
  // PREEMPT-2: those that were chosen last are kept first.
  for (const lease of [...chosen].reverse()) {
    const fewer = chosen.filter((other) => other !== lease);
    if (hasRoomWithout(node, fewer, request)) chosen = fewer;
  }
  return chosen.length === 0 ? undefined : chosen;
}

function hasRoomWithout(node: NodeView, ended: readonly Yielding[], request: PlacementRequest): boolean {
  let { available, gpus } = node;
  for (const { quantities, gpuIds } of ended) {
    available = addQuantities(available, quantities);
    gpus = giveBackGpus(gpus, gpuIds, quantities["gpu"] ?? 0);
  }
  return candidateOf({ ...node, available, gpus, leases: node.leases - ended.length }, request) !== undefined;
}

/** Negative when a is the better choice. */
function compare(a: Preemption, b: Preemption): number {
  const highest = ({ victims }: Preemption) => Math.max(...victims.map(({ claim }) => claim.priority));
  return highest(a) - highest(b) || a.victims.length - b.victims.length || (a.nodeId < b.nodeId ? -1 : 1);
}
