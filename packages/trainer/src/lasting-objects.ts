/**
 * Job: what every actor of a run needs to begin, at any time, stays within reach: base weights and tokenizer.
 * Not its job: versions of the weights that training makes (held-weights.ts).
 *
 * O1. Every node that runs an actor of the run holds all of them, and the run's queues list it.
 * O2. An actor that finds them on none of the listed nodes strikes those off and waits: the driver, which looks every
 *     second, brings them again when no listed node is alive.
 * O3. Brought again, they are the same objects: references stay good.
 */
import { setTimeout } from "node:timers/promises";
import type { ObjectHolders } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./weights.js";

/** How long an actor waits for a driver that brings them again: a node's loss is noticed within seconds. */
const reachTimeoutMs = 90_000;
const retryMs = 250;

interface ObjectFetch {
  fetch(location: ObjectLocation): Promise<ObjectLocation>;
}

/** Has this node hold every object, and says so to the run (O1). @throws {PalimpsestError} OBJECT_LOST */
export async function holdLasting(
  objects: ObjectFetch,
  holders: Pick<ObjectHolders, "all" | "add" | "remove">,
  wanted: readonly ObjectLocation[],
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<void> {
  const { signal, timeoutMs = reachTimeoutMs } = options;
  const deadlineAt = Date.now() + timeoutMs;
  for (;;) {
    const known = await holders.all();
    try {
      let address: string | undefined;
      for (const location of wanted) {
        const held = await objects.fetch({ ...location, locations: [...location.locations, ...known] });
        address = held.locations[0];
      }
      if (address !== undefined) await holders.add(address);
      return;
    } catch (reason) {
      if (PalimpsestError.from(reason).code !== "OBJECT_LOST" || Date.now() > deadlineAt) throw reason;
      for (const address of known) await holders.remove(address);
      await setTimeout(retryMs, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * One look of the driver: strikes off nodes that are gone and brings the objects again when none is left (O2).
 * @param alive host:port of the Objects services of nodes that are alive
 * @param bring puts all of them on one node and tells where
 */
export async function keepLasting(
  holders: Pick<ObjectHolders, "all" | "add" | "remove">,
  alive: ReadonlySet<string>,
  bring: () => Promise<Pick<ObjectLocation, "locations">>,
): Promise<boolean> {
  const listed = await holders.all();
  for (const address of listed) if (!alive.has(address)) await holders.remove(address);
  if (listed.some((address) => alive.has(address)) || alive.size === 0) return false;
  const { locations } = await bring();
  for (const address of locations) await holders.add(address);
  return true;
}

/** Everything that lasts: the tokenizer's files and the shards of the base weights. */
export function lastingObjects(
  text: ObjectLocation,
  weights: proto.WeightManifest.$Properties,
): readonly ObjectLocation[] {
  return [text, ...(weights.shards ?? []).map(locationOf)];
}
