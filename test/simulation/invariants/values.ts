import { short } from "../world/object-records.js";
import type { World } from "../world/world.js";

/** The ids of values are shorter than those of bytes that are named by their hash. */
const valueIdLength = 40;

/** REF-2: when every program has released all of its references, no node has a value any more. */
export function checkValuesAtRest(world: World): void {
  for (const { nodeId, store } of world.nodes) {
    // A node that a head declared dead may have missed requests to release values.
    if (store === undefined || world.objects.takenForDeadMs.has(nodeId)) continue;
    for (const { objectId, held } of store.places()) {
      if (objectId.length !== valueIdLength || !held) continue;
      const holders = [...store.holders()].filter((holder) => store.heldBy(holder).includes(objectId));
      const text = `${nodeId} keeps value ${short(objectId)} at rest for ${holders.join(", ")}, and nobody refers to it`;
      world.records.violation("REF-2", text);
    }
  }
}
