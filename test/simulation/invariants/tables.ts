import type { World } from "../world/world.js";
import { checkGroups } from "./groups.js";
import { cpusOf } from "./jobs.js";
import { checkGranted } from "./object-quotas.js";
import { checkLedger } from "./shares.js";

/** Checks what the head's tables promise at any moment. */
export function checkTables(world: World): void {
  const plane = world.head?.plane;
  if (plane === undefined) return;
  checkGroups(world, plane);
  checkLedger(world, plane);
  checkGranted(world);
  const names = new Map<string, string>();
  for (const actor of plane.actors.all()) {
    const { actorId, name } = actor.spec;
    if (actor.state !== "DEAD" && name !== "") {
      const other = names.get(name);
      if (other !== undefined)
        world.records.violation("ACTORTABLE-1", `${name} belongs to ${other} and to ${actorId}`);
      names.set(name, actorId);
      if (plane.actors.byName(name)?.spec.actorId !== actorId) {
        world.records.violation("ACTORTABLE-1", `${name} does not lead to its holder ${actorId}`);
      }
    }
    const limit = world.records.actors.get(actorId)?.options.maxRestarts;
    if (limit !== undefined && limit >= 0 && actor.restarts > limit) {
      world.records.violation(
        "ACTOR-4",
        `${actorId} was restarted ${actor.restarts} times with maxRestarts ${limit}`,
      );
    }
  }
  for (const node of plane.nodes.all()) {
    let leased = 0;
    for (const [lease, { quantities, within }] of plane.nodes.leasesOn(node.nodeId)) {
      // The resources of a lease within a bundle are taken from the bundle.
      if (within !== "") continue;
      if (lease.startsWith("bundle/")) leased += quantities["cpu"] ?? 0;
      const jobId = /^driver\/(.*)$/.exec(lease)?.[1];
      if (jobId !== undefined) leased += cpusOf(plane, jobId);
      const actorId = /^actor\/(.*)#\d+$/.exec(lease)?.[1];
      if (actorId === undefined) continue;
      const actor = plane.actors.get(actorId);
      // An actor whose row was forgotten keeps its lease until its node says that the process has ended (ACTOR-3).
      const taken = actor === undefined ? quantities : plane.taskWorkers.leasedBy(actor);
      leased += taken["cpu"] ?? 0;
    }
    const { cpu: available = 0 } = node.available;
    const { cpu: total = 0 } = node.total;
    if (Math.abs(available + leased - total) > 1e-9) {
      world.records.violation(
        "NODE-2",
        `${node.nodeId}: ${available} available and ${leased} leased of ${total} cpus: ${[...plane.nodes.leasesOn(node.nodeId).keys()].join(" ")}`,
      );
    }
  }
}
