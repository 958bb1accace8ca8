// A program with a cluster of its own. It prints what it counted and the processes that it must take with it, and then
// ends as its argument says.
import { connect } from "@palimpsest/client";
import { wordCounters } from "./counted-words.js";

const cluster = await connect({ local: { cpus: 2 } });
const counter = await cluster.actor(wordCounters).spawn();
const count = await counter.add("word");
const { pid, redisPid } = cluster.facts;
const [node] = await cluster.nodes();
const pids = [pid, redisPid, node?.pid, (await counter.place()).pid];
process.stdout.write(`${JSON.stringify({ count, pids, cpus: node?.total["cpu"] })}\n`);
if (process.argv[2] === "close") await cluster.close();
