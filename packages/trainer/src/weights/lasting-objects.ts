/**
 * Responsibility: what every actor of a run needs to begin, at any time, stays within reach: base weights and tokenizer.
 * Not responsible for: versions of the weights that training makes (held-weights.ts).
 *
 * O1. Every node that runs an actor of the run holds all of them as long as the actor lives.
 * O2. An actor that finds them nowhere waits: the driver, which looks every second, brings again what no node has.
 * O3. Brought again, they are the same objects: references stay good.
 */
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

/** How long an actor waits for a driver that brings them again: a node's loss is noticed within seconds. */
const reachTimeoutMs = 90_000;
const retryMs = 250;

interface ObjectHold {
  hold(location: ObjectLocation): Promise<unknown>;
}

/** Has this node hold every object (O1). @throws {PalimpsestError} OBJECT_LOST */
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
      await setTimeout(retryMs, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * One look of the driver: brings the objects again when one of them is on no node any more (O2).
 * @param missing those of them that no node has
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

/** Everything that lasts: the tokenizer's files, the shards of the base weights, and the user's modules. */
export function lastingObjects(
  text: ObjectLocation,
  weights: proto.WeightManifest.$Properties,
  modules: readonly { readonly location: ObjectLocation }[] = [],
): readonly ObjectLocation[] {
  return [text, ...(weights.shards ?? []).map(locationOf), ...modules.map(({ location }) => location)];
}
