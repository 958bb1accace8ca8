/**
 * Responsibility: keeps the objects that every actor of a run needs to start available at all times: base weights and tokenizer.
 * Not responsible for: versions of the weights that training makes (held-weights.ts).
 *
 * LASTING-1. Every node that runs an actor of the run keeps all of these objects as long as the actor lives.
 * LASTING-2. An actor that finds them on no node waits: the driver, which checks every second, stores lost objects
 *   again.
 * LASTING-3. Objects that are stored again have the same ids, so that references stay valid.
 */
import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

/** How long an actor waits until the driver has put the objects again. The loss of a node is noticed within seconds. */
const reachTimeoutMs = 90_000;
const retryMs = 250;

interface ObjectHold {
  hold(location: ObjectLocation): Promise<unknown>;
}

/** Makes this node keep every object (LASTING-1). @throws {PalimpsestError} OBJECT_LOST */
export async function holdLasting(
  objects: ObjectHold,
  wanted: readonly ObjectLocation[],
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<void> {
  const { signal, timeoutMs = reachTimeoutMs } = options;
  const deadlineAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      for (const location of wanted) await objects.hold(location);
      return;
    } catch (reason) {
      if (PalimpsestError.from(reason).code !== "OBJECT_LOST" || performance.now() >= deadlineAt)
        throw reason;
      await delay(retryMs, signal);
      signal?.throwIfAborted();
    }
  }
}

/**
 * Makes one check for the driver: puts the objects again if no node has one of them any more (LASTING-2).
 * @param missing returns the objects that no node has
 * @param bring puts all of them on one node
 */
export async function keepLasting(
  wanted: readonly ObjectLocation[],
  missing: (wanted: readonly ObjectLocation[]) => Promise<readonly ObjectLocation[]>,
  bring: () => Promise<unknown>,
): Promise<boolean> {
  if ((await missing(wanted)).length === 0) return false;
  await bring();
  return true;
}

/** Returns all of these objects: the tokenizer's files, the shards of the base weights, and the user's modules. */
export function lastingObjects(
  text: ObjectLocation,
  weights: proto.WeightManifest.$Properties,
  modules: readonly { readonly location: ObjectLocation }[] = [],
): readonly ObjectLocation[] {
  return [text, ...(weights.shards ?? []).map(locationOf), ...modules.map(({ location }) => location)];
}
