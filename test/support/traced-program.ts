// A program whose calls are nested: an actor that calls another one, and a task.
import { connect, fromEnvironment } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { TracedActor, traceDouble } from "./traced-actor.js";

const cluster = await connect({ ...fromEnvironment(process.env), name: "traced program" });
const from = new URL("./traced-actor.js", import.meta.url);
const inner = await cluster.actor(TracedActor, { from }).spawn();
const outer = await cluster.actor(TracedActor, { from }).spawn(inner);
process.stdout.write(`sum ${await outer.ask(20)}\n`);
for await (const item of outer.count(3)) process.stdout.write(`item ${item}\n`);
await outer.fail().catch((reason: unknown) => {
  process.stdout.write(`failed ${PalimpsestError.from(reason).code}\n`);
});
process.stdout.write(`task ${await cluster.task(traceDouble, { from })(4)}\n`);
const light = await cluster.actor(TracedActor, { from }, { process: "shared" }).spawn(inner);
process.stdout.write(`light ${await light.relay(10)}\n`);
// One message to their process calls all three members.
const shape = { lane: 3 };
const mesh = await cluster.mesh(TracedActor, { from }, { shape, process: "shared" }).spawn(inner);
process.stdout.write(`mesh ${await mesh.broadcast.spread(30)}\n`);
await cluster.close();
