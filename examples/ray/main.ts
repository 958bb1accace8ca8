// Runs the examples that compare Ray's API with ours (docs/guides/ray.md). They need a cluster:
//   npx palimpsest dev --cpus 4
//   npx tsx examples/ray/main.ts [tasks|values|actors|failures|scheduling]
import { connect } from "@palimpsest/client";
import { examples } from "./examples.js";

const cluster = await connect({ name: "ray guide" });
try {
  for (const [name, example] of Object.entries(examples)) {
    if (process.argv.length > 2 && !process.argv.includes(name)) continue;
    process.stdout.write(`${name} ${JSON.stringify(await example(cluster))}\n`);
  }
} finally {
  await cluster.close();
}
