// A user's program, submitted as a job: spawns an actor class from a file of its own and prints what it says.
import { connect, fromEnvironment } from "@palimpsest/client";
import { WordCounter } from "./word-counter.js";

const cluster = await connect({ ...fromEnvironment(process.env), name: "program" });
const counters = cluster.actor(WordCounter, { from: new URL("./word-counter.js", import.meta.url) });
const counter = await counters.spawn();
await counter.add(process.argv.slice(2).join(" "));
for await (const [word, count] of counter.words()) process.stdout.write(`${word}: ${count}\n`);
const { pid } = await counter.place();
process.stdout.write(`counted by process ${pid}, not by ${process.pid}\n`);
if (process.argv.includes("forever")) {
  process.stdout.write("waiting\n");
  await new Promise(() => setInterval(() => undefined, 1_000));
}
await cluster.close();
if (process.argv.includes("badly")) process.exitCode = 3;
