/**
 * Measures how long data-parallel learners wait for each other: gradients are summed over actors of nodes on this host,
 * through the exchange that `learnerActors` uses, without a model. Prints one line per size; with --json FILE it also
 * writes the figures. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/exchange.ts [--ranks 2] [--megabytes 4,64,256] [--rounds 5] [--json FILE]
 */
import { cpus, loadavg } from "node:os";
import { TestCluster } from "../../test/support/test-cluster.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Summing } from "./summing.js";

const flags = benchFlags({ ranks: "2", megabytes: "4,64,256", rounds: "5", json: undefined });
const [size, rounds] = [Number(flags.ranks), Number(flags.rounds)];
const loadBefore = loadavg();
const cluster = await TestCluster.start({ workers: size });
try {
  const type = cluster.client.actor(
    Summing,
    { from: new URL("./summing.ts", import.meta.url) },
    { resources: { cpu: 3 } },
  );
  const ranks = await Promise.all(Array.from({ length: size }, (_, rank) => type.spawn(rank, size)));
  await Promise.all(ranks.map((rank) => rank.join(ranks)));
  const rows = [];
  for (const megabytes of flags.megabytes.split(",").map(Number)) {
    const values = Math.round((megabytes * 1e6) / 4);
    await Promise.all(ranks.map((rank) => rank.sum(values, 1)));
    const all = await Promise.all(ranks.map((rank) => rank.sum(values, rounds)));
    const seconds = median(all[0] ?? []);
    rows.push({ megabytes, seconds, megabytesPerSecond: megabytes / seconds });
  }
  const figures = {
    ranks: size,
    rounds,
    cpus: cpus().length,
    node: process.version,
    loadBefore,
    loadAfter: loadavg(),
    rows,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  if (flags.json) writeResult(flags.json, figures);
} finally {
  await cluster.stop();
}
