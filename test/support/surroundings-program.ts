// A user's program, submitted as a job: prints what it, an actor and a task of its own find around them.
import { connect, fromEnvironment } from "@palimpsest/client";
import { look, Probe, type Surroundings } from "./environment-probe.js";

const source = { from: new URL("./environment-probe.js", import.meta.url) };
const names = process.argv.slice(2);

/** The values may be secrets: their lengths are printed. */
function print({ variables, notes, greeting }: Surroundings): void {
  const lengths = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value?.length]));
  process.stdout.write(`${JSON.stringify({ lengths, notes, greeting })}\n`);
}

const cluster = await connect({ ...fromEnvironment(process.env), name: "surroundings" });
print(await look(...names));
const probe = await cluster.actor(Probe, source).spawn();
print(await probe.look(...names));
print(await cluster.task(look, source, { resources: {} })(...names));
await cluster.close();
