import { parseHolder } from "@palimpsest/wire";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import { hasEnded } from "../../../packages/runtime/head/src/tables/job.js";
import { objectFolder, spillFolder } from "../world/memory-disk.js";
import type { SimNode } from "../world/node.js";
import { short } from "../world/object-records.js";
import type { World } from "../world/world.js";
import { checkQuotasAtRest } from "./object-quotas.js";

/** Checks what must hold of objects long after the last fault. */
export function checkObjectsAtRest(world: World): void {
  const plane = world.head?.plane;
  if (plane === undefined) return;
  world.objects.check();
  checkDirectory(world, plane);
  for (const node of world.nodes) {
    checkHolders(world, plane, node);
    checkFiles(world, node);
    checkSpilled(world, node);
  }
  checkFreed(world);
  checkQuotasAtRest(world);
}

/** REPORT-2, DIRECTORY-2: the directory knows exactly what the nodes have. */
function checkDirectory(world: World, plane: ControlPlane): void {
  const known = (plane.objects.list(Number.MAX_SAFE_INTEGER).objects ?? []).flatMap(
    ({ objectId, holdingNodeIds, copyNodeIds, spilledNodeIds }) => [
      ...(holdingNodeIds ?? []).map((nodeId) => `${nodeId} holds ${short(objectId ?? "")}`),
      ...(copyNodeIds ?? []).map((nodeId) => `${nodeId} has a copy of ${short(objectId ?? "")}`),
      ...(spilledNodeIds ?? []).map((nodeId) => `${nodeId} has spilled ${short(objectId ?? "")}`),
    ],
  );
  const stored = world.nodes.flatMap(({ nodeId, store }) =>
    [...(store?.places() ?? [])].flatMap(({ objectId, held, spilled }) => [
      `${nodeId} ${held ? "holds" : "has a copy of"} ${short(objectId)}`,
      ...(spilled ? [`${nodeId} has spilled ${short(objectId)}`] : []),
    ]),
  );
  const missing = stored.filter((place) => !known.includes(place));
  const wrong = known.filter((place) => !stored.includes(place));
  if (missing.length + wrong.length > 0) {
    const text = `the directory does not know [${missing.join(", ")}], and believes [${wrong.join(", ")}]`;
    world.records.violation("REPORT-2", text);
  }
}

/** HOLDER-1: objects of a holder that has ended are not kept. */
function checkHolders(world: World, plane: ControlPlane, { nodeId, store }: SimNode): void {
  for (const holder of store?.holders() ?? []) {
    const named = parseHolder(holder);
    const actor = named.kind === "incarnation" ? plane.actors.get(named.actorId) : plane.actors.get(holder);
    const job = plane.jobs.find(holder);
    const driver = world.drivers.some(({ sessionId, over }) => sessionId === holder && !over);
    const isOver = named.kind === "incarnation" && (actor?.incarnation ?? 0) > named.incarnation;
    if (actor && actor.state !== "DEAD" && !isOver) continue;
    if (driver || (job && !hasEnded(job))) continue;
    world.records.violation("HOLDER-1", `${nodeId} keeps objects at rest for ${holder}, which has ended`);
  }
}

/** No transfer between connected machines takes this long. */
const transferMs = 60_000;

/** WRITER-1, FILES-1: the files are those of the objects that the store knows, and no other file is left. */
function checkFiles(world: World, { nodeId, store, disk }: SimNode): void {
  const resident = [...(store?.places() ?? [])].filter(({ spilled }) => !spilled);
  const objects = resident.map(({ objectId }) => objectId).sort();
  const known = new Set(objects);
  const files = disk.names(objectFolder, 0).sort();
  // Small values are kept in memory and have no file.
  const inFiles = objects.filter((objectId) => store?.find(objectId)?.path !== "");
  const left = disk.names(objectFolder, transferMs).filter((name) => !known.has(name));
  if (left.length === 0 && inFiles.every((objectId) => files.includes(objectId))) return;
  const text = `${nodeId} has the files [${files.map(short)}], and its store knows [${objects.map(short)}]`;
  world.records.violation("WRITER-1", text);
}

/**
 * SPILL-1, FILES-1: the store counts the bytes of its copies on disk, which are those of spilled objects and of some
 * that were restored.
 */
function checkSpilled(world: World, { nodeId, store, disk }: SimNode): void {
  if (store === undefined) return;
  const places = [...store.places()];
  const known = new Set(places.map(({ objectId }) => objectId));
  const left = disk.names(spillFolder, transferMs).filter((name) => !known.has(name));
  if (left.length > 0)
    world.records.violation("FILES-1", `${nodeId} has the spilled copies [${left.map(short)}] of no object`);
  // A file that is younger may be one of a copy that is being written.
  const isQuiet = disk.names(spillFolder, transferMs).length === disk.names(spillFolder, 0).length;
  const onDiskBytes = disk.bytesIn(spillFolder);
  if (isQuiet && store.spilledBytes !== onDiskBytes)
    world.records.violation(
      "SPILL-1",
      `${nodeId} counts ${store.spilledBytes} spilled bytes, and ${onDiskBytes} are on its disk`,
    );
}

/**
 * DIRECTORY-4, DIRECTORY-6: no node has an object whose free was acknowledged. A node that was declared dead and comes
 * back may still have it, until its holder ends.
 */
function checkFreed(world: World): void {
  const { operations } = world.objects;
  for (const free of operations) {
    if (free.what !== "free" || free.endedMs === Number.POSITIVE_INFINITY) continue;
    const others = operations.filter(({ objectId, what }) => objectId === free.objectId && what !== "free");
    if (others.some(({ endedMs }) => endedMs >= free.startedMs)) continue;
    for (const { nodeId, store } of world.nodes) {
      if (store?.find(free.objectId) === undefined || world.objects.takenForDeadMs.has(nodeId)) continue;
      const text = `${nodeId} still has ${short(free.objectId)}, which was freed from ${free.startedMs.toFixed(0)} to ${free.endedMs.toFixed(0)} ms`;
      world.records.violation("DIRECTORY-4", text);
    }
  }
}
