// A user's program that is submitted as a job. It prints the surroundings that it, its actor and its task find.
import { connect, fromEnvironment } from "@palimpsest/client";
import { look, Probe, type Surroundings } from "./environment-probe.js";

const source = { from: new URL("./environment-probe.js", import.meta.url) };
const names = process.argv.slice(2);

/** The values may be secrets, so only their lengths are printed. */
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
