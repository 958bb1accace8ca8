// Two tasks after each other for each of twelve pages, in parallel, with at most twenty requests per second.
import { connect } from "@palimpsest/client";
import * as work from "./work.js";

await using cluster = await connect({ name: "pipeline" });
const everyMs = 50;
const limiter = await cluster.actor(work.limiters).spawn(everyMs);
const fetchPage = cluster.task(work.pages, { resources: { cpu: 0.5 } });
const countWords = cluster.task(work.counts, { resources: { cpu: 0.5 } });

const enteredAtMs: number[] = [];
const words = await Promise.all(
  Array.from({ length: 12 }, async (_, page) => {
    enteredAtMs.push(await limiter.enter());
    return await countWords(await fetchPage(page));
  }),
);
for (const [page, count] of words.entries())
  console.log(`page ${String(page).padStart(2)} ${"█".repeat(count)} ${count}`);
const gapsMs = enteredAtMs.slice(1).map((atMs, i) => atMs - (enteredAtMs[i] ?? 0));
console.log(
  `${words.length} pages, none closer than ${everyMs} ms: ${gapsMs.every((gap) => gap > everyMs - 1)}`,
);
