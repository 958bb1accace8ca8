import { headService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type { ObjectStore } from "./store/object-store.js";

const attemptMs = 5_000;
/** The head's limit on ids per request. */
const maxIdsPerCall = 10_000;

/**
 * Returns which of the objects are on this node, or on another one that the head knows.
 * @throws {PalimpsestError} UNAVAILABLE if the head did not answer in time; the caller may retry
 */
export async function existing(
  store: Pick<ObjectStore, "find">,
  head: () => Pick<Peer, "unary">,
  objectIds: readonly string[],
): Promise<readonly string[]> {
  const elsewhere = objectIds.filter((objectId) => store.find(objectId) === undefined);
  const missing = new Set<string>();
  for (let at = 0; at < elsewhere.length; at += maxIdsPerCall) {
    const request = { objectIds: elsewhere.slice(at, at + maxIdsPerCall) };
    const asked = head().unary(headService.missingObjects, request, { timeoutMs: attemptMs });
    const answer = await asked.catch((reason: unknown) => {
      const error = PalimpsestError.from(reason);
      if (error.code !== "GET_TIMEOUT") throw error;
      const message = `the head did not say within ${attemptMs} ms which objects exist`;
      throw new PalimpsestError("UNAVAILABLE", message, { cause: error });
    });
    for (const objectId of answer.objectIds ?? []) missing.add(objectId);
  }
  return objectIds.filter((objectId) => !missing.has(objectId));
}
