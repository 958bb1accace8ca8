import { hostname } from "node:os";
import { PalimpsestError } from "@palimpsest/wire";
import type { ClusterState } from "../base/cluster-state.js";

/**
 * Returns the address of the object service that a driver uses: on the node of its machine, else on any alive node.
 * @throws {PalimpsestError} UNAVAILABLE if no node is alive
 */
export async function objectsAddress(cluster: Pick<ClusterState, "nodes">): Promise<string> {
  for (const filter of [{ hostname: hostname() }, {}]) {
    const nodes = await cluster.nodes({ ...filter, limit: 1_000 });
    const found = nodes.find((node) => node.state === "alive" && node.objectsAddress);
    if (found) return found.objectsAddress;
  }
  throw new PalimpsestError(
    "UNAVAILABLE",
    "the cluster has no alive node that could store objects; start one with `palimpsest worker join`",
  );
}
