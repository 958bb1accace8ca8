// A program that never calls close(). Its argument says what it leaves behind. It prints its actor's process first and
// "bye" last.
import { connect } from "@palimpsest/client";
import { wordCounters } from "./counted-words.js";
import { double } from "./task-functions.js";

const how = process.argv[2] ?? "";
const say = (text: string) => process.stdout.write(`${text}\n`);
process.on("exit", () => say("bye"));
const cluster = await connect({ name: how, ...(how === "inherit" ? { output: "inherit" } : {}) });
const counter = await cluster.actor(wordCounters).spawn();
const { pid } = await counter.place();
say(`${pid}`);
if (how === "timer") setTimeout(() => say("timer"), 100);
else if (how === "death") counter.onDeath(({ state }) => say(state));
else if (how === "calls") {
  const task = cluster.task(double, { from: new URL("./task-functions.ts", import.meta.url) });
  void Promise.all([task(21), counter.count("word"), cluster.put(new Uint8Array(3_000_000))]).then(
    async ([product, count, value]) => say(`${product} ${count} ${(await cluster.get(value)).byteLength}`),
  );
}
