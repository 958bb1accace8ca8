// This is the program of the README. It needs a cluster: npx palimpsest dev
import { connect } from "@palimpsest/client";
import { counters, squares } from "./work.js";

const cluster = await connect({ name: "hello" });
const counter = await cluster.actor(counters).spawn();
process.stdout.write(`${await counter.add(2)}\n`);
const square = cluster.task(squares);
const results = await Promise.all([1, 2, 3].map((value) => square(value)));
process.stdout.write(`${results}\n`);
await cluster.close();
