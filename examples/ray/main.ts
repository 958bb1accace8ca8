// Runs the examples that compare Ray's API with ours (docs/guides/ray.md). It needs a head and a worker:
//   npx palimpsest head start
//   npx palimpsest worker join --cpus 4
//   PALIMPSEST_ADDRESS=HOST:PORT PALIMPSEST_TOKEN=… npx tsx examples/ray/main.ts [tasks|values|actors|failures|scheduling]
import { connect, fromEnvironment } from "@palimpsest/client";
import { examples } from "./examples.js";

const cluster = await connect({ ...fromEnvironment(process.env), name: "ray guide" });
try {
  for (const [name, example] of Object.entries(examples)) {
    if (process.argv.length > 2 && !process.argv.includes(name)) continue;
    process.stdout.write(`${name} ${JSON.stringify(await example(cluster))}\n`);
  }
} finally {
  await cluster.close();
}
