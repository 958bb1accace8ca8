/** Starts the actor that client.py calls, and keeps it until Ctrl-C. */
import { connect } from "@palimpsest/client";
import { Counter } from "./counter.js";

const cluster = await connect();
await cluster.actor(Counter, { from: new URL("./counter.ts", import.meta.url) }, { name: "tally" }).spawn();
process.stdout.write("the actor tally is there\n");
await new Promise((resolve) => process.once("SIGINT", resolve));
await cluster.close();
