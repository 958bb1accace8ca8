/** Who holds what in the cluster's object stores, asked of every node. */
import { type Network, objectsService, PalimpsestError } from "@palimpsest/wire";
import type { ClusterState } from "./cluster-state.js";
import type { HeadCallOptions } from "./head-client.js";

const defaultTimeoutMs = 10_000;

/** One object on one node. */
export interface HeldObject {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly nodeId: string;
  /** Who stored it there: a session, an actor, an incarnation of an actor as "ACTOR.NUMBER"; empty of a copy. */
  readonly ownerId: string;
  /** Programs, actors and jobs that hold it. */
  readonly heldBy: readonly string[];
  /** Those of them that have sent it in a call that is under way. */
  readonly pinnedBy: readonly string[];
  /** Objects whose values refer to it. */
  readonly capturedIn: readonly string[];
  /** Nobody holds it there: it makes room when room is needed. */
  readonly isCopy: boolean;
  readonly isSpilled: boolean;
  readonly storedAtMs: number;
}

export interface ObjectMemory {
  /** The largest first; of the same size those of one object together. */
  readonly objects: readonly HeldObject[];
  /** On all nodes, also those that are not listed. */
  readonly totalObjects: number;
  readonly totalBytes: number;
  /** Nodes that gave no answer, and why. */
  readonly silent: readonly { readonly nodeId: string; readonly reason: string }[];
}

export interface MemoryOptions extends HeadCallOptions {
  /** Objects of each node; default 1,000, at most 10,000. */
  readonly limit?: number;
}

const objectPrefix = "object:";

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
        const holders = detail.holders ?? [];
        objects.push({
          nodeId,
          objectId: detail.objectId ?? "",
          sizeBytes: detail.sizeBytes ?? 0,
          ownerId: detail.ownerId ?? "",
          heldBy: holders.filter((holder) => !holder.startsWith(objectPrefix)),
          pinnedBy: detail.pinnedBy ?? [],
          capturedIn: holders.flatMap((holder) =>
            holder.startsWith(objectPrefix) ? [holder.slice(objectPrefix.length)] : [],
          ),
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
