import { short } from "../world/object-records.js";
import type { World } from "../world/world.js";

/** Values have shorter names than bytes that are named by their hash. */
const valueIdLength = 40;

/** REF-2: when every program has let go of all that it referred to, no node has a value any more. */
export function checkValuesAtRest(world: World): void {
  for (const { nodeId, store } of world.nodes) {
    // What a head took for dead may have been asked in vain.
    if (store === undefined || world.objects.takenForDeadMs.has(nodeId)) continue;
    for (const { objectId, held } of store.places()) {
      if (objectId.length !== valueIdLength || !held) continue;
      const holders = [...store.holders()].filter((holder) => store.heldBy(holder).includes(objectId));
      const text = `${nodeId} keeps value ${short(objectId)} at rest for ${holders.join(", ")}, and nobody refers to it`;
      world.records.violation("REF-2", text);
    }
  }
}
