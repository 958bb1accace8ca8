// A user's program that is submitted as a job. It spawns an actor class from another file and prints its answers.
import { connect, fromEnvironment } from "@palimpsest/client";
import { wordCounters } from "./counted-words.js";

const cluster = await connect({ ...fromEnvironment(process.env), name: "program" });
const counter = await cluster.actor(wordCounters).spawn();
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
