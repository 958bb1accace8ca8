import * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import type { Actor } from "../../../packages/runtime/head/src/tables/actor.js";
import type { Node } from "../../../packages/runtime/head/src/tables/node.js";
import { bundleLease } from "../../../packages/runtime/head/src/tables/placement-group.js";
import type { World } from "../world/world.js";
import { checkGroupsAtRest } from "./groups.js";
import { checkJobsAtRest, cpusOf } from "./jobs.js";
import { isLimited } from "./shares.js";

/**
 * Checks what must hold long after the last fault: the head's view is true, promises are kept, and nothing waits
 * without a reason.
 */
export function checkAtRest(world: World): void {
  const plane = world.head?.plane;
  const { records } = world;
  if (plane === undefined) {
    records.violation("REST", "no head serves");
    return;
  }
  // A run in which nothing happens would pass every check.
  if (records.counts.answered === 0 && !world.settings.versions)
    records.violation("VACUOUS", "no call was answered in the whole run");
  checkJobsAtRest(world, plane);
  checkGroupsAtRest(world, plane);
  const running = [...world.workers].map((worker) => {
    const nodeId = world.nodes.find((node) => node.workers.has(worker))?.nodeId ?? "?";
    return `${nodeId} ${worker.actorId}#${worker.incarnation}${worker.serving ? "" : " (not serving)"}`;
  });
  const actors = [...plane.actors.all()];
  const believed = actors
    .filter((actor) => actor.state === "ALIVE")
    .map((actor) => `${actor.nodeId} ${actor.spec.actorId}#${actor.incarnation}`);
  if (running.sort().join("\n") !== believed.sort().join("\n")) {
    records.violation(
      "ACTOR-6",
      `at rest the head believes in [${believed.join(", ")}], and there run [${running.join(", ")}]`,
    );
  }
  const alive = plane.nodes.all().filter((node) => node.state === "ALIVE");
  if (alive.length !== world.settings.nodes) {
    records.violation("REST", `${alive.length} nodes are alive at rest, and ${world.settings.nodes} run`);
  }
  for (const node of alive) {
    let used = 0;
    for (const actor of actors) {
      const ownLease = actor.bundle === undefined && actor.nodeId === node.nodeId;
      if (actor.state === "ALIVE" && ownLease) used += actor.spec.resources["cpu"] ?? 0;
    }
    for (const { spec, places } of plane.groupTable.all()) {
      for (const [index, place] of places.entries())
        if (place?.nodeId === node.nodeId) used += spec.bundles[index]?.["cpu"] ?? 0;
    }
    for (const { jobId, nodeId, status } of plane.jobs.all()) {
      if (status === "RUNNING" && nodeId === node.nodeId) used += cpusOf(plane, jobId);
    }
    const { cpu: available = 0 } = node.available;
    if (available !== world.settings.cpusOfNode - used) {
      records.violation(
        "NODE-2",
        `at rest ${node.nodeId} has ${available} cpus available, ${used} in use and leases ${[...plane.nodes.leasesOn(node.nodeId).keys()].join(" ")}`,
      );
    }
  }
  for (const actor of actors) {
    const { actorId, ownerId, detached } = actor.spec;
    if (actor.state === "STARTING") {
      records.violation("REST", `${actorId} is ${actor.state} at rest`);
    }
    const cpu = actor.spec.resources["cpu"] ?? 0;
    const waits = actor.state === "PENDING" || actor.state === "RESTARTING";
    // A node may be kept free for a larger request that has waited longer.
    const kept = plane.pendingQueue.reservedNodes > 0;
    // PLACEMENT-2, QUOTA-3
    if (
      waits &&
      !kept &&
      !isLimited(plane, { ...actor.spec, cpu: actor.spec.placement ? 0 : cpu }) &&
      roomFor(plane, actor, alive).some((free) => free >= cpu)
    ) {
      const reason = plane.lifecycle.pendingReason(actor);
      records.violation("PLACEMENT-2", `${actorId} waits for ${cpu} cpus, and there is room: ${reason}`);
    }
    const owner = records.sessions.get(ownerId);
    if (actor.state !== "DEAD" && !detached && owner !== undefined && owner !== "open") {
      records.violation("OWNER-1", `${actorId} outlives its owner ${ownerId} (${owner})`);
    }
    if (actor.state !== "DEAD" && world.losses.forGood === 0 && records.killedForGood.has(actorId)) {
      records.violation("ACTORTABLE-2", `${actorId} was killed for good and is ${actor.state}`);
    }
    const wanted = records.actors.get(actorId)?.options.detached ?? detached;
    const reason = actor.certificate?.reason ?? "";
    const withGroup = actor.spec.placement !== undefined;
    if (actor.state === "DEAD" && wanted && !withGroup && reason.includes("its driver")) {
      records.violation("DETACHED", `detached ${actorId} ended with its owner: ${reason}`);
    }
    const row = world.redis.rows("actors").get(actorId);
    const stored = row && proto.ActorInfo.decode(row);
    if (
      stored?.incarnation !== actor.incarnation ||
      proto.ActorState[stored.state] !== `ACTOR_STATE_${actor.state}`
    ) {
      const text = stored ? `${proto.ActorState[stored.state]}#${stored.incarnation}` : "nothing";
      records.violation(
        "JOURNAL-3",
        `${actorId} is ${actor.state}#${actor.incarnation}, and the store has ${text}`,
      );
    }
  }
  for (const table of ["specs", "actors", "deaths"] as const) {
    for (const actorId of world.redis.rows(table).keys()) {
      if (plane.actors.get(actorId) !== undefined) continue;
      records.violation(
        "JOURNAL-3",
        `${actorId} is in table ${table} of the store, and the head does not know it`,
      );
    }
  }
  for (const actorId of records.actors.keys()) {
    if (records.dead.has(actorId)) continue;
    if (world.losses.forGood === 0 && plane.actors.get(actorId) === undefined) {
      records.violation("JOURNAL-2", `${actorId} was acknowledged and is not known`);
    }
  }
  for (const key of records.open) {
    const call = records.calls.get(key);
    if (call && !call.process.ended) records.violation("CALL-1", `${call.key} has no outcome at rest`);
  }
}

/** Returns the free cpus of the nodes, or of the bundles, on which the actor may be placed. */
function roomFor(plane: ControlPlane, { spec: { placement } }: Actor, alive: readonly Node[]): number[] {
  if (placement === undefined) return alive.map(({ available }) => available["cpu"] ?? 0);
  const { groupId, bundle } = placement;
  return (plane.groups.nodesOf(groupId) ?? []).flatMap((nodeId, index) => {
    if (nodeId === undefined || (bundle !== undefined && bundle !== index)) return [];
    return plane.nodes.bundleView(nodeId, bundleLease(groupId, index))?.available["cpu"] ?? 0;
  });
}
