// Reads the results of a task while it runs, and ends it by leaving the loop.
import { connect } from "@palimpsest/client";
import { allPrimes } from "./primes.js";

await using cluster = await connect({ name: "stream" });
const primes = cluster.task(allPrimes);
let line = "";
for await (const prime of primes()) {
  line += `${String(prime).padStart(4)}`;
  if (line.length < 40) continue;
  console.log(line);
  line = "";
  if (prime > 150) break;
}
console.log("enough: the endless task has ended with its reader");
