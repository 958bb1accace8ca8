// Finds the cluster of this machine. `npm start` brings one: npx palimpsest dev -- tsx src/main.ts
import { connect } from "@palimpsest/client";
import { wordCounters } from "./counter.js";

await using cluster = await connect({ name: "my-agent" });
const counter = await cluster.actor(wordCounters).spawn();
await Promise.all(["a rose is a rose", "is a rose"].map((line) => counter.add(line)));
for (const [word, count] of await counter.top(3)) console.log(`${word} ${count}`);
