import { type Cluster, PalimpsestError } from "@palimpsest/client";
import { Counter } from "./work.js";

const source = { from: new URL("./work.ts", import.meta.url) };

export async function scheduling(cluster: Cluster) {
  const counters = cluster.actor(Counter, source);
  const [node] = await cluster.nodes({ limit: 1 });
  const nodeId = node?.nodeId ?? "";
  const there = await counters.options({ strategy: { nodeId } }).spawn(0);
  const isThere = (await there.nodeId()) === nodeId;

  const group = await cluster.placementGroup({ bundles: [{ cpu: 1 }, { cpu: 0.5 }], strategy: "PACK" });
  await group.ready({ timeoutMs: 60_000 });
  const inside = counters.options({ resources: { cpu: 0.5 }, placement: { group, bundle: 1 } });
  const count = await (await inside.spawn(40)).add(2);
  await group.remove();

  const tooLarge = await cluster.placementGroup({ bundles: [{ cpu: 10_000 }] });
  const isReady = await tooLarge.ready({ timeoutMs: 200 }).then(
    () => true,
    (reason: unknown) => PalimpsestError.from(reason).code !== "UNSCHEDULABLE",
  );
  await tooLarge.remove();
  return { isThere, count, isReady };
}
