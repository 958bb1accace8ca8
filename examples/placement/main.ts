// Leases resources: two actors that must share a machine, and one that asks for GPUs that nobody has.
import { connect, PalimpsestError } from "@palimpsest/client";
import { services } from "./service.js";

await using cluster = await connect({ name: "placement" });
const group = await cluster.placementGroup({
  bundles: [{ cpu: 0.5 }, { cpu: 0.5 }],
  strategy: "STRICT_PACK",
});
await group.ready({ timeoutMs: 60_000 });
const spawnIn = async (bundle: number) =>
  await cluster.actor(services, { resources: { cpu: 0.5 }, placement: { group, bundle } }).spawn();
const [learner, helper] = await Promise.all([spawnIn(0), spawnIn(1)]);
console.log(`on one machine: ${(await learner.node()) === (await helper.node())}`);

const large = await cluster.actor(services, { resources: { gpu: 8 } }).spawn();
const reason = await large.ready({ timeoutMs: 1000 }).catch((error: unknown) => PalimpsestError.from(error));
console.log(`waits: ${reason instanceof PalimpsestError ? reason.rawMessage : "no longer"}`);
await large.kill();
await group.remove();
