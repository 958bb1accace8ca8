import { chooseGpus, takeGpus, wholeGpus } from "../gpu-instances.js";
import type { NodeView } from "../placement.js";
import { type Quantities, subtractQuantities } from "../resources.js";

/** Builds a node for tests, empty unless stated otherwise. */
export function aNode(nodeId: string, over: Partial<NodeView> = {}): NodeView {
  const total = over.total ?? { cpu: 4 };
  const available = over.available ?? total;
  const gpus = wholeGpus(total["gpu"] ?? 0).map((_, id) => (id < (available["gpu"] ?? 0) ? 1 : 0));
  return { nodeId, total, available, labels: {}, leases: 0, gpus, ...over };
}

/** Returns the node after a lease that fits on it. */
export function leased(node: NodeView, resources: Quantities): NodeView {
  const gpu = resources["gpu"] ?? 0;
  const ids = chooseGpus(node.gpus, gpu);
  if (ids === undefined) throw new Error(`${gpu} gpu do not fit on ${node.nodeId}`);
  return {
    ...node,
    leases: node.leases + 1,
    available: subtractQuantities(node.available, resources),
    gpus: takeGpus(node.gpus, ids, gpu),
  };
}
