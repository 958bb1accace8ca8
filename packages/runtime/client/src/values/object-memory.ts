/** Lists the objects in the cluster's object stores and their owners, as reported by every node. */
import { formatHolder, type Network, objectsService, PalimpsestError, parseHolder } from "@palimpsest/wire";
import type { ClusterState } from "../base/cluster-state.js";
import type { HeadCallOptions } from "../base/head-client.js";

const defaultTimeoutMs = 10_000;

/** One object on one node. */
export interface HeldObject {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly nodeId: string;
  /** The session, actor or incarnation of an actor ("ACTOR.NUMBER") that stored it there; empty for a copy. */
  readonly ownerId: string;
  /** Programs, actors and jobs that refer to it. */
  readonly heldBy: readonly string[];
  /** Those of them that have sent it in a call that is in progress. */
  readonly pinnedBy: readonly string[];
  /** Objects whose values refer to it. */
  readonly capturedIn: readonly string[];
  /** True if it has no references there, so that it is evicted when room is needed. */
  readonly isCopy: boolean;
  readonly isSpilled: boolean;
  readonly storedAtMs: number;
}

/** What the nodes' object stores hold, and who refers to it. */
export interface ObjectMemory {
  /** The objects, the largest first. Among objects of the same size, the entries of one object are adjacent. */
  readonly objects: readonly HeldObject[];
  /** The total number on all nodes, including objects that are not listed. */
  readonly totalObjects: number;
  readonly totalBytes: number;
  /** Nodes that did not answer, and why. */
  readonly silent: readonly { readonly nodeId: string; readonly reason: string }[];
}

/** How many objects `cluster.memory` lists. */
export interface MemoryOptions extends HeadCallOptions {
  /** Maximum number of objects per node; default 1,000, at most 10,000. */
  readonly limit?: number;
}

export async function objectMemory(
  state: Pick<ClusterState, "nodes">,
  network: Network,
  { limit = 0, timeoutMs = defaultTimeoutMs, signal }: MemoryOptions = {},
): Promise<ObjectMemory> {
  const settings = { timeoutMs, ...(signal ? { signal } : {}) };
  const nodes = (await state.nodes({ states: ["alive"], ...settings })).filter((node) => node.objectsAddress);
  const silent: { nodeId: string; reason: string }[] = [];
  const objects: HeldObject[] = [];
  let totalObjects = 0;
  let totalBytes = 0;
  const asked = nodes.map(async ({ nodeId, objectsAddress }) => {
    const peer = network.connect(objectsAddress, "control");
    try {
      const answer = await peer.unary(objectsService.describe, { limit }, settings);
      totalObjects += answer.totalObjects ?? 0;
      totalBytes += answer.totalBytes ?? 0;
      for (const detail of answer.objects ?? []) {
        const holders = (detail.holders ?? []).map(parseHolder);
        objects.push({
          nodeId,
          objectId: detail.objectId ?? "",
          sizeBytes: detail.sizeBytes ?? 0,
          ownerId: detail.ownerId ?? "",
          heldBy: holders.filter(({ kind }) => kind !== "object").map(formatHolder),
          pinnedBy: detail.pinnedBy ?? [],
          capturedIn: holders.flatMap((holder) => (holder.kind === "object" ? [holder.objectId] : [])),
          isCopy: holders.length === 0,
          isSpilled: detail.spilled ?? false,
          storedAtMs: detail.storedAtMs ?? 0,
        });
      }
    } catch (reason) {
      silent.push({ nodeId, reason: PalimpsestError.from(reason).rawMessage });
    } finally {
      peer.close();
    }
  });
  await Promise.all(asked);
  objects.sort((a, b) => b.sizeBytes - a.sizeBytes || (a.objectId < b.objectId ? -1 : 1));
  return { objects, totalObjects, totalBytes, silent };
}
