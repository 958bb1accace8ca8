/** Explains why the bundles of a group wait. An explanation is computed on request, and is never stored. */
import { type GroupRequest, mostOnDistinctNodes } from "./bundle-placement.js";
import { explain } from "./explanation.js";
import { hasRoom, type NodeView, type PlacementRequest } from "./placement.js";
import { addQuantities, normalizeQuantities, sortedEntries } from "./resources.js";

/**
 * Returns one sentence that names the first bundle for which no node has room, or what keeps the bundles from fitting
 * together.
 */
export function explainBundles(nodes: Iterable<NodeView>, group: GroupRequest): string {
  const views = [...nodes];
  const { strategy, bundles, placed = new Map<number, string>() } = group;
  const used = new Set(placed.values());
  const missing = bundles.flatMap((request, index) => (placed.has(index) ? [] : [{ request, index }]));
  for (const { request, index } of missing) {
    if (!views.some((view) => hasRoom(view, request))) return `bundle ${index} ${explain(views, request)}`;
  }
  const count = missing.length;
  const requests = missing.map(({ request }) => request);
  const total = normalizeQuantities(requests.map(({ resources }) => resources).reduce(addQuantities, {}));
  if (strategy === "STRICT_SPREAD") {
    const free = views.filter(({ nodeId }) => !used.has(nodeId));
    const most = mostOnDistinctNodes(free, requests);
    return `STRICT_SPREAD needs a node for each of ${count} bundles, and only ${most} could get one now`;
  }
  if (strategy === "STRICT_PACK") {
    const together: PlacementRequest = {
      ...(requests[0] ?? { labels: {} }),
      resources: total,
    };
    return `STRICT_PACK needs ${count} bundles on one node: ${explain(views, together)}`;
  }
  const sum = sortedEntries(total).map(([name, need]) => `${need} ${name}`);
  return `each bundle has room somewhere, but the ${count} of them do not fit together: they need ${sum.join(", ")}`;
}
