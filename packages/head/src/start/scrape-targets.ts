import type { ScrapeTarget } from "@palimpsest/telemetry";
import type { ActorTable } from "../tables/actor-table.js";
import type { NodeTable } from "../tables/node-table.js";

/** Returns every metrics page of the cluster, including the head's own, for Prometheus's service discovery. */
export function scrapeTargets(
  ownAddress: string,
  nodes: NodeTable,
  actors: ActorTable,
): readonly ScrapeTarget[] {
  const targets: ScrapeTarget[] = [{ address: ownAddress, labels: { role: "head" } }];
  for (const node of nodes.all()) {
    if (node.state !== "ALIVE" || node.metricsAddress === "") continue;
    targets.push({ address: node.metricsAddress, labels: { role: "node", node_id: node.nodeId } });
  }
  const shared = new Set<string>();
  for (const actor of actors.all()) {
    if (actor.state !== "ALIVE" || actor.metricsAddress === "") continue;
    const { actorId, role, sharedProcess } = actor.spec;
    // Light actors have the page of their shared process, which is one target.
    if (sharedProcess && shared.has(actor.metricsAddress)) continue;
    if (sharedProcess) shared.add(actor.metricsAddress);
    const labels = { role: role || "actor", actor_id: sharedProcess ? "" : actorId, node_id: actor.nodeId };
    targets.push({ address: actor.metricsAddress, labels });
  }
  return targets;
}
