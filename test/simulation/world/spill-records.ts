import type { ObjectStore } from "../../../packages/runtime/node/src/objects/store/object-store.js";
import type { SimNode } from "./node.js";
import { short } from "./object-records.js";
import type { World } from "./world.js";

/** RESIDENCE-1: checks, whenever an object leaves a node's memory, that its copy on disk is complete. */
export function watchSpills(world: World, node: SimNode, store: ObjectStore): void {
  store.watch({
    present({ objectId, sizeBytes, spilled }) {
      const onDiskBytes = node.disk.spilledSize(objectId);
      if (!spilled || onDiskBytes === sizeBytes) return;
      const text = `${short(objectId)} left the memory of ${node.nodeId} with ${onDiskBytes} of its ${sizeBytes} bytes on disk`;
      world.records.violation("RESIDENCE-1", text);
    },
    gone() {},
    newHolder() {},
  });
}
