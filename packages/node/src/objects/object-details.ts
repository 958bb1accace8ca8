/** Lists for people which owners have leases on a node's objects. */
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectPins } from "./object-pins.js";
import type { ObjectStore } from "./store/object-store.js";

const defaultLimit = 1_000;
const maxLimit = 10_000;
const maxHolders = 100;
/**
 * The milliseconds within which programs report which objects their calls refer to. A program whose thread is busy does
 * not.
 */
const pinsTimeoutMs = 1_000;

export async function describeObjects(
  store: ObjectStore,
  pins: ObjectPins,
  request: proto.DescribeObjectsRequest.$Properties,
): Promise<proto.DescribeObjectsResponse.$Properties> {
  const limit = request.limit || defaultLimit;
  if (limit < 1 || limit > maxLimit)
    throw new PalimpsestError("INVALID_ARGUMENT", `limit is ${limit}: it must be from 1 to ${maxLimit}`);
  const pinned = await pins.ask(pinsTimeoutMs);
  const largest = [...store.entries()].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, limit);
  return {
    objects: largest.map((entry) => ({
      objectId: entry.objectId,
      sizeBytes: entry.sizeBytes,
      ownerId: entry.ownerId,
      holders: [...entry.holders.keys()].slice(0, maxHolders),
      pinnedBy: [...new Set(pinned.get(entry.objectId))].slice(0, maxHolders),
      storedAtMs: entry.storedAtMs,
      readers: entry.readers,
      spilled: !entry.isResident,
    })),
    totalObjects: store.size,
    totalBytes: store.storedBytes,
  };
}
