// Kills the process of an account three times; the account forgets nothing.
import { connect } from "@palimpsest/client";
import { accounts } from "./account.js";

await using cluster = await connect({ name: "durable" });
const account = await cluster.actor(accounts, { durable: true, name: "example-account" }).spawn();
for (let kills = 0; kills <= 3; kills++) {
  const total = await account.deposit(5);
  const { pid, incarnation } = await account.where();
  console.log(`incarnation ${incarnation}: deposited 5, total ${total}`);
  if (kills === 3) break;
  process.kill(pid, "SIGKILL");
  console.log("  kill -9");
}
await account.kill();
await cluster.removeDurable("example-account");
