// This is the program of the README. It needs a cluster: npx palimpsest dev
import { connect } from "@palimpsest/client";
import { Counter, square } from "./work.js";

const from = new URL("./work.ts", import.meta.url);
const cluster = await connect({ name: "hello" });
const counter = await cluster.actor(Counter, { from }).spawn();
process.stdout.write(`${await counter.add(2)}\n`);
const squares = cluster.task(square, { from });
const results = await Promise.all([1, 2, 3].map((value) => squares(value)));
process.stdout.write(`${results}\n`);
await cluster.close();
