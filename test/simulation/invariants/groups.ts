import * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import {
  bundleLease,
  groupRequestOf,
  groupStateToProto,
  type PlacementGroup,
} from "../../../packages/runtime/head/src/tables/placement-group.js";
import { placeBundles } from "../../../packages/runtime/scheduler/src/bundle-placement.js";
import type { World } from "../world/world.js";
import { isLimited } from "./shares.js";

/** Checks what the head's placement groups promise at any moment. */
export function checkGroups(world: World, plane: ControlPlane): void {
  for (const group of plane.groupTable.all()) {
    checkPlaces(world, plane, group);
    for (const actor of plane.actors.inGroup(group.spec.groupId)) {
      if (actor.state !== "STARTING" && actor.state !== "ALIVE") continue;
      const { actorId } = actor.spec;
      const nodeId = group.places[actor.bundle ?? -1]?.nodeId;
      // An actor that the head adopted no longer knows its bundle if the group was lost.
      if (nodeId !== actor.nodeId && world.losses.forGood === 0)
        violation(world, "PGROUP-2", `${actorId} runs on ${actor.nodeId}, and its bundle lies on ${nodeId}`);
    }
  }
  for (const node of plane.nodes.all()) {
    const leases = plane.nodes.leasesOn(node.nodeId);
    const taken = new Map<string, number>();
    for (const { quantities, within } of leases.values())
      if (within !== "") taken.set(within, (taken.get(within) ?? 0) + (quantities["cpu"] ?? 0));
    for (const [bundle, cpu] of taken) {
      const has = leases.get(bundle)?.quantities["cpu"] ?? 0;
      if (cpu > has) violation(world, "LEASES-1", `${cpu} cpus are leased of ${bundle}, which has ${has}`);
    }
  }
}

function checkPlaces(world: World, plane: ControlPlane, group: PlacementGroup): void {
  const { spec, state, places } = group;
  const { groupId } = spec;
  const nodeIds = places.flatMap((place) => place?.nodeId ?? []);
  if (state === "CREATED" && nodeIds.length < places.length)
    violation(
      world,
      "PGROUP-1",
      `${groupId} is created, and ${nodeIds.length} of ${places.length} bundles have a node`,
    );
  if (state === "PENDING" && nodeIds.length > 0)
    violation(world, "PGROUP-1", `${groupId} is pending, and bundles lie on ${nodeIds.join(" ")}`);
  // The strategy is the one for which the client asked.
  const strategy = world.groups.planned.get(groupId)?.strategy ?? spec.strategy;
  const distinct = new Set(nodeIds).size;
  if (strategy === "STRICT_PACK" && distinct > 1)
    violation(world, "PGROUP-2", `${groupId} is STRICT_PACK and lies on ${nodeIds.join(" ")}`);
  if (strategy === "STRICT_SPREAD" && distinct < nodeIds.length)
    violation(world, "PGROUP-2", `${groupId} is STRICT_SPREAD and lies on ${nodeIds.join(" ")}`);
  for (const [index, place] of places.entries()) {
    if (place === undefined) continue;
    const node = plane.nodes.get(place.nodeId);
    if (node === undefined || node.state === "DEAD")
      violation(world, "PGROUP-3", `bundle ${index} of ${groupId} lies on ${place.nodeId}, which is dead`);
    const lease = plane.nodes.leasesOn(place.nodeId).get(bundleLease(groupId, index));
    if (lease?.quantities["cpu"] !== spec.bundles[index]?.["cpu"])
      violation(world, "PGROUP-1", `bundle ${index} of ${groupId} is not leased on ${place.nodeId}`);
  }
}

/** Checks what must hold of placement groups long after the last fault. */
export function checkGroupsAtRest(world: World, plane: ControlPlane): void {
  const { records, losses, redis, groups } = world;
  const alive = plane.nodes.all().filter((node) => node.state === "ALIVE");
  const views = alive.map(({ nodeId, total, available, labels }) => ({
    ...{ nodeId, total, available, labels, gpus: [], leases: 0 },
  }));
  for (const group of plane.groupTable.all()) {
    const { spec, state } = group;
    const { groupId, ownerId, detached } = spec;
    const missing = spec.bundles.filter((_, index) => group.places[index] === undefined);
    const cpu = missing.reduce((sum, bundle) => sum + (bundle["cpu"] ?? 0), 0);
    const kept = plane.pendingQueue.reservedNodes > 0 || isLimited(plane, { ...spec, cpu });
    if (state !== "CREATED" && !kept && placeBundles(views, groupRequestOf(group)) !== undefined)
      violation(world, "PGROUP-5", `${groupId} waits, and there is room: ${plane.groups.reason(group)}`);
    const owner = records.sessions.get(ownerId);
    if (!detached && owner !== undefined && owner !== "open")
      violation(world, "PGROUP-6", `${groupId} outlives its owner ${ownerId} (${owner})`);
    if (losses.forGood === 0 && groups.removedIds.has(groupId))
      violation(world, "PGROUP-4", `${groupId} was removed, and is ${state}`);
    const row = redis.rows("groups").get(groupId);
    const stored = row && proto.PlacementGroupInfo.decode(row);
    if (stored?.state !== groupStateToProto[state])
      violation(
        world,
        "JOURNAL-3",
        `${groupId} is ${state}, and the store has ${stored?.state ?? "nothing"}`,
      );
  }
  for (const groupId of redis.rows("groups").keys())
    if (plane.groups.nodesOf(groupId) === undefined)
      violation(world, "JOURNAL-3", `${groupId} is in the store, and the head does not know it`);
  if (losses.forGood > 0) return;
  for (const groupId of groups.removedIds) {
    const [actor] = plane.actors.inGroup(groupId);
    if (actor)
      violation(world, "PGROUP-4", `${groupId} was removed, and ${actor.spec.actorId} is ${actor.state}`);
  }
  for (const [groupId, { lifetime, sessionId }] of groups.planned) {
    if (groups.removedIds.has(groupId) || plane.groups.nodesOf(groupId) !== undefined) continue;
    // The group ended with its owner. If Redis lost its row just before, no write told of the end.
    if (lifetime === "owner" && records.sessions.get(sessionId) !== "open") continue;
    violation(world, "JOURNAL-2", `${groupId} was acknowledged and is not known`);
  }
}

function violation(world: World, invariant: string, text: string): void {
  world.records.violation(invariant, text);
}
