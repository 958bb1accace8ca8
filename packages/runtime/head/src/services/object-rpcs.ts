/** Implements the RPCs of service Head for objects, over the directory. */
import { headService, isObjectId, PalimpsestError } from "@palimpsest/wire";
import type { ObjectRecoveries } from "../rules/object-recoveries.js";
import { isValidId } from "../tables/actor.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { HeadHandlers } from "./head-handlers.js";
import type { Rpc } from "./rpc.js";

const maxWaitMs = 10_000;
const maxIds = 10_000;
const maxRows = 10_000;
const defaultRows = 100;

export function createObjectRpcs(
  rpc: Rpc,
  objects: ObjectDirectory,
  recoveries: ObjectRecoveries,
): HeadHandlers<"locateObject" | "recoverObject" | "freeObjects" | "missingObjects" | "listObjects"> {
  return {
    locateObject: rpc.unary(headService.locateObject, ({ objectId, waitMs, askingMs, nodeId }) =>
      objects.locate(
        checkedId(objectId),
        Math.min(maxWaitMs, Math.max(0, waitMs ?? 0)),
        Math.max(0, askingMs ?? 0),
        nodeId ?? "",
      ),
    ),
    recoverObject: rpc.unary(headService.recoverObject, ({ objectId, ownerId, waitMs }) =>
      recoveries.recover(
        checkedId(objectId),
        checkedOwner(ownerId),
        Math.min(maxWaitMs, Math.max(0, waitMs ?? 0)),
      ),
    ),
    freeObjects: rpc.unary(headService.freeObjects, ({ objectIds, holder }) => {
      const untold = objects.free(checkedIds(objectIds), holder ?? "");
      if (untold.length > 0) throw mayHaveThem(untold);
      return {};
    }),
    missingObjects: rpc.unary(headService.missingObjects, ({ objectIds }) =>
      objects.missing(checkedIds(objectIds)),
    ),
    listObjects: rpc.unary(headService.listObjects, ({ limit }) =>
      objects.list(Math.min(maxRows, limit || defaultRows)),
    ),
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
function checkedOwner(ownerId: string | null | undefined): string {
  if (ownerId && isValidId(ownerId)) return ownerId;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `owner_id is ${JSON.stringify(ownerId)}: give the owner_id of the reference`,
  );
}

/** Returns the error of a free that these nodes may not have carried out (DIRECTORY-6). */
function mayHaveThem(nodeIds: readonly string[]): PalimpsestError {
  const [first = "", ...others] = nodeIds;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return new PalimpsestError(
    "UNAVAILABLE",
    `some of the objects may be on node ${first}${more}, whose objects this head does not know yet: retry until they are reported, or the nodes are dead`,
  );
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
function checkedIds(objectIds: readonly string[] | null | undefined): string[] {
  const ids = objectIds ?? [];
  if (ids.length <= maxIds) return ids.map(checkedId);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_ids has ${ids.length} entries: give at most ${maxIds} at once`,
  );
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
function checkedId(objectId: string | null | undefined): string {
  if (objectId && isObjectId(objectId)) return objectId;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_id ${JSON.stringify(objectId)} is neither a SHA-256 in hex nor the name of a value`,
  );
}
