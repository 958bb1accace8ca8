// This program is a job: it runs on the cluster, as a process of one of its nodes.
//   npx palimpsest job submit examples/job/entry.ts --follow -- 4
import { connect } from "@palimpsest/client";
import { counters } from "../actors/counter.js";

const count = Number(process.argv[2] ?? "2");

const cluster = await connect({ name: "example job" });
try {
  const type = cluster.actor(counters);
  const spawned = await Promise.all(
    Array.from({ length: count }, (_, place) => type.spawn(`counter ${place}`)),
  );
  const totals = await Promise.all(spawned.map((counter, place) => counter.add(place)));
  process.stdout.write(`${count} counters, sum ${totals.reduce((sum, total) => sum + total, 0)}\n`);
} finally {
  await cluster.close();
}
