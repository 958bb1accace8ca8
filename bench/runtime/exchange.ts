/**
 * Measures how long learners of several hosts wait for each other: gradients are summed over actors of nodes on this host, through the
 * exchange that `learnerActors` uses, without a model and a device. Beside it, in alternation, two Node processes send each other as many
 * bytes over one plain TCP connection. Prints a table; with --json FILE it also writes the figures. Needs built code:
 * `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/runtime/exchange.ts [--ranks 2,3] [--megabytes 512] [--rounds 5]
 *   [--types bfloat16,float32] [--json FILE]
 */
import { cpus, loadavg } from "node:os";
import { TestCluster } from "../../test/support/test-cluster.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Summing } from "./summing.js";
import { exchangedOverTcp } from "./tcp-pair.js";

const flags = benchFlags({
  ranks: "2,3",
  megabytes: "512",
  rounds: "5",
  types: "bfloat16,float32",
  json: undefined,
});
const rounds = Number(flags.rounds);
const bytes = Math.round(Number(flags.megabytes) * 1e6);
const loadBefore = loadavg();

interface Row {
  readonly what: string;
  readonly ranks: number;
  readonly seconds: number;
  /** Bytes that each rank sends, and receives at the same time. */
  readonly sentGigabytes: number;
  readonly gigabytesPerSecond: number;
  readonly cpuSecondsPerGigabyte: number;
}

function rowOf(
  what: string,
  ranks: number,
  all: readonly { readonly seconds: number; readonly sentBytes: number; readonly cpuSeconds: number }[],
): Row {
  const seconds = median(all.map((one) => one.seconds));
  const sentGigabytes = median(all.map(({ sentBytes }) => sentBytes)) / 1e9;
  const cpuSeconds = median(all.map((one) => one.cpuSeconds));
  return {
    ...{ what, ranks, seconds, sentGigabytes },
    gigabytesPerSecond: sentGigabytes / seconds,
    cpuSecondsPerGigabyte: cpuSeconds / sentGigabytes,
  };
}

const rows: Row[] = [];
for (const size of flags.ranks.split(",").map(Number)) {
  const cluster = await TestCluster.start({ workers: size });
  try {
    const from = new URL("./summing.ts", import.meta.url);
    const type = cluster.client.actor(Summing, { from }, { resources: { cpu: 3 } });
    const ranks = await Promise.all(Array.from({ length: size }, (_, rank) => type.spawn(rank, size)));
    const addresses = await Promise.all(ranks.map((rank) => rank.address()));
    await Promise.all(ranks.map((rank) => rank.join(ranks, addresses)));
    for (const kind of flags.types.split(",") as ("bfloat16" | "float32")[]) {
      const done = [];
      const peer = [];
      for (let round = 0; round <= rounds; round++) {
        const all = await Promise.all(ranks.map((rank) => rank.sum(bytes, kind, 1)));
        const [first] = all[0] ?? [];
        // One more round warms up and is not counted.
        if (first === undefined || round === 0) continue;
        done.push(first);
        if (size === 2) peer.push(await exchangedOverTcp(bytes));
      }
      rows.push(rowOf(`gradients in ${kind}`, size, done));
      if (size === 2) rows.push(rowOf("plain TCP", size, peer));
    }
  } finally {
    await cluster.stop();
  }
}
console.table(
  rows.map(({ what, ranks, ...row }) => ({
    ...{ what, ranks },
    seconds: row.seconds.toFixed(3),
    "GB sent by each": row.sentGigabytes.toFixed(2),
    "GB/s each way": row.gigabytesPerSecond.toFixed(2),
    "CPU s per GB and rank": row.cpuSecondsPerGigabyte.toFixed(2),
  })),
);
if (flags.json !== undefined) {
  const load = { loadBefore, loadAfter: loadavg() };
  writeResult(flags.json, { bytes, rounds, rows, cpus: cpus().length, node: process.version, ...load });
}
