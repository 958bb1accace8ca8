import { parseHolder } from "@palimpsest/wire";
import type { ObjectStore } from "../../../packages/runtime/node/src/objects/store/object-store.js";
import type { SimNode } from "../world/node.js";
import { simulatedObjectQuotas } from "../world/settings.js";
import type { World } from "../world/world.js";

/** What a quota allows, by an account of its own: not by the head's rules. */
function maxBytesOf(name: string): number | undefined {
  const [kind, whose = ""] = name.split(" ");
  const { jobs, namespaces } = simulatedObjectQuotas;
  if (kind === "job") return jobs["*"].objectBytes;
  return whose === "default" || whose === "side" ? namespaces[whose].objectBytes : undefined;
}

/** The quotas of each owner that was seen, which outlive its rows. */
const namesOf = new WeakMap<World, Map<string, readonly string[]>>();

/** Returns the quotas against which an owner's objects count; undefined if nobody knows for whom it is. */
function quotasOf(world: World, holder: string): readonly string[] | undefined {
  const known = namesOf.get(world) ?? new Map<string, readonly string[]>();
  namesOf.set(world, known);
  const names = known.get(holder) ?? namesNow(world, holder);
  if (names !== undefined) known.set(holder, names);
  return names;
}

function namesNow(world: World, holder: string): readonly string[] | undefined {
  const named = parseHolder(holder);
  const actors = world.head?.plane?.actors;
  const spec = actors?.get(named.kind === "incarnation" ? named.actorId : holder)?.spec;
  if (spec !== undefined)
    return [`namespace ${spec.namespace || "default"}`, ...(spec.jobId === "" ? [] : [`job ${spec.jobId}`])];
  return world.drivers.some(({ sessionId }) => sessionId === holder) ? ["namespace default"] : undefined;
}

/** Returns the nodes whose objects the heads have counted all the time. */
function countedNodes(world: World): SimNode[] {
  const { takenForDeadMs } = world.objects;
  return world.nodes.filter(({ nodeId, over, store }) => !over && store && !takenForDeadMs.has(nodeId));
}

/** Checks, whenever an object has come to a node, what its quotas allow and what the node was granted. */
export function watchObjectQuotas(world: World, node: SimNode, store: ObjectStore): void {
  const { quotas } = store;
  /** Objects that have counted for another owner than the one that stored them, which nobody had admitted. */
  const moved = new Set<string>();
  const take = quotas.take.bind(quotas);
  quotas.take = (holder, sizeBytes) => {
    const waiting = take(holder, sizeBytes);
    if (waiting !== undefined) world.records.counts.limited++;
    return waiting;
  };
  movedOf.set(store, moved);
  store.watch({
    present({ objectId }) {
      for (const { ownerId, chargedTo } of [...store.entries()].filter((one) => one.objectId === objectId))
        if (ownerId !== chargedTo) moved.add(objectId);
      checkStored(world, node);
    },
    gone(objectId) {
      moved.delete(objectId);
    },
    newHolder() {},
  });
}

const movedOf = new WeakMap<ObjectStore, Set<string>>();

/** Returns the bytes of what programs have stored on a node, by quota. */
function storedBytes(world: World, { store }: SimNode): Map<string, number> {
  const stored = new Map<string, number>();
  const { endedHolders } = world.objects;
  for (const { objectId, ownerId, sizeBytes } of store?.entries() ?? []) {
    // What arrives for an owner that has ended is freed at once, and nothing limits it.
    if (endedHolders.has(ownerId)) continue;
    if (ownerId === "" || store === undefined || movedOf.get(store)?.has(objectId)) continue;
    for (const name of quotasOf(world, ownerId) ?? []) stored.set(name, (stored.get(name) ?? 0) + sizeBytes);
  }
  return stored;
}

/** OBJECTQUOTA-1, NODEQUOTA-1 */
function checkStored(world: World, stored: SimNode): void {
  const byQuota = new Map<string, number>();
  for (const node of countedNodes(world))
    for (const [name, bytes] of storedBytes(world, node)) {
      const max = maxBytesOf(name);
      const granted = node.store?.quotas.uses().get(name)?.grantedBytes ?? 0;
      if (max !== undefined && bytes > granted)
        world.records.violation(
          "NODEQUOTA-1",
          `${node.nodeId} has stored ${bytes} bytes of ${name}, and was granted ${granted}`,
        );
      byQuota.set(name, (byQuota.get(name) ?? 0) + bytes);
    }
  if (world.losses.forGood > 0) return;
  for (const [name, bytes] of byQuota) {
    const max = maxBytesOf(name) ?? Number.POSITIVE_INFINITY;
    if (bytes > max)
      world.records.violation(
        "OBJECTQUOTA-1",
        `${bytes} of ${max} bytes of ${name} are stored, since ${stored.nodeId} stored some`,
      );
  }
}

/** OBJECTQUOTA-1: checks that what the nodes were granted is together within the quotas. */
export function checkGranted(world: World): void {
  if (!world.settings.shares || !world.settings.values || world.losses.forGood > 0) return;
  const granted = new Map<string, number>();
  for (const { store } of countedNodes(world))
    for (const [name, { grantedBytes }] of store?.quotas.uses() ?? [])
      granted.set(name, (granted.get(name) ?? 0) + grantedBytes);
  for (const [name, bytes] of granted) {
    const max = maxBytesOf(name) ?? Number.POSITIVE_INFINITY;
    if (bytes > max)
      world.records.violation("OBJECTQUOTA-1", `nodes were granted ${bytes} of ${max} bytes of ${name}`);
  }
}

/**
 * Checks at rest that nodes have counted what lies there, that the head knows what they were granted, and that nothing is
 * granted of a quota that nobody uses (NODEQUOTA-3).
 */
export function checkQuotasAtRest(world: World): void {
  const quotas = world.head?.plane?.objectQuotas;
  if (!world.settings.shares || !world.settings.values || quotas === undefined) return;
  const granted = new Map<string, number>();
  for (const { nodeId, store } of world.nodes) {
    const lying = new Map<string, number>();
    for (const { chargedTo, sizeBytes } of store?.entries() ?? [])
      for (const name of quotasOf(world, chargedTo) ?? [])
        lying.set(name, (lying.get(name) ?? 0) + sizeBytes);
    for (const [name, { usedBytes, grantedBytes }] of store?.quotas.uses() ?? []) {
      granted.set(name, (granted.get(name) ?? 0) + grantedBytes);
      if (usedBytes !== (lying.get(name) ?? 0))
        world.records.violation(
          "NODEQUOTA-1",
          `${nodeId} counts ${usedBytes} bytes of ${name} at rest, and ${lying.get(name) ?? 0} lie there`,
        );
      if (usedBytes === 0 && grantedBytes > 0)
        world.records.violation(
          "NODEQUOTA-3",
          `${nodeId} keeps ${grantedBytes} bytes of ${name} at rest, and uses none`,
        );
    }
  }
  for (const { name, grantedBytes } of quotas.uses())
    if (grantedBytes !== (granted.get(name) ?? 0))
      world.records.violation(
        "OBJECTQUOTA-1",
        `at rest the head has granted ${grantedBytes} bytes of ${name}, and nodes have ${granted.get(name) ?? 0}`,
      );
}
