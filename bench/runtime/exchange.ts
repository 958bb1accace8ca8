/**
 * Measures how long learners of several hosts wait for each other: processes of this host sum arrays through the exchange that
 * `learnerActors` uses, without a model and a device. Beside it, in alternation, two Node processes send each other as many bytes over as
 * many plain TCP connections, each with a thread in both. Prints a line of JSON for each case and a table; with --json FILE it also writes
 * the figures. A case makes fewer rounds where its part of --limit seconds has passed. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/runtime/exchange.ts [--ranks 2,3] [--threads 1,2] [--megabytes 512] [--rounds 5]
 *   [--types bfloat16,float32] [--limit 55] [--json FILE]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import type { Round, SummingOrder } from "./summing.js";
import { exchangedOverTcp } from "./tcp-pair.js";

const flags = benchFlags({
  ranks: "2,3",
  threads: "1,2",
  megabytes: "512",
  rounds: "5",
  types: "bfloat16,float32",
  limit: "55",
  json: undefined,
});
const rounds = Number(flags.rounds);
const bytes = Math.round(Number(flags.megabytes) * 1e6);
const loadBefore = loadavg();
const limitMs = 1000 * Number(flags.limit);
const cases = flags.ranks.split(",").length * flags.threads.split(",").length * flags.types.split(",").length;
// The limit of a case holds between rounds; this one holds if a round never ends.
setTimeout(() => {
  console.log(JSON.stringify({ failed: `a round has not ended ${2 * limitMs} ms after the start`, rows }));
  process.exit(1);
}, 2 * limitMs).unref();

interface Row {
  readonly what: string;
  readonly ranks: number;
  readonly threads: number;
  readonly seconds: number;
  /** Bytes that each rank sends, and receives at the same time. */
  readonly sentGigabytes: number;
  readonly gigabytesPerSecond: number;
  /** To each other rank, and from it at the same time. */
  readonly gigabytesPerSecondAndPair: number;
  readonly rounds: number;
  readonly cpuSecondsPerGigabyte: number;
}

function rowOf(what: string, ranks: number, threads: number, all: readonly Round[]): Row {
  const seconds = median(all.map((one) => one.seconds));
  const sentGigabytes = median(all.map(({ sentBytes }) => sentBytes)) / 1e9;
  const cpuSeconds = median(all.map((one) => one.cpuSeconds));
  return {
    ...{ what, ranks, threads, seconds, sentGigabytes },
    gigabytesPerSecond: sentGigabytes / seconds,
    gigabytesPerSecondAndPair: sentGigabytes / seconds / (ranks - 1),
    rounds: all.length,
    cpuSecondsPerGigabyte: cpuSeconds / sentGigabytes,
  };
}

/** Sends every process an order, and returns their answers. */
async function all<Answer>(processes: readonly ChildProcess[], order?: SummingOrder): Promise<Answer[]> {
  const answers = processes.map(async (one) => (await once(one, "message"))[0] as Answer);
  if (order !== undefined) for (const one of processes) one.send(order);
  return await Promise.all(answers);
}

const rows: Row[] = [];
let begun = 0;
const told = (row: Row) => {
  rows.push(row);
  const short = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value;
  console.log(JSON.stringify(row, short));
};
const program = fileURLToPath(new URL("./summing.ts", import.meta.url));
for (const size of flags.ranks.split(",").map(Number))
  for (const threads of flags.threads.split(",").map(Number)) {
    const ranks = Array.from({ length: size }, (_, rank) => fork(program, [rank, size, threads].map(String)));
    const addresses = await all<readonly string[]>(ranks);
    for (const rank of ranks) rank.send({ addresses } satisfies SummingOrder);
    for (const type of flags.types.split(",") as ("bfloat16" | "float32")[]) {
      const done = [];
      const peer = [];
      begun += 1;
      for (let round = 0; round <= rounds; round++) {
        const [first] = await all<Round>(ranks, { bytes, type });
        // One more round warms up and is not counted.
        if (first === undefined || round === 0) continue;
        done.push(first);
        if (size === 2) peer.push(await exchangedOverTcp(bytes, threads));
        if (performance.now() > (limitMs * begun) / cases) break;
      }
      told(rowOf(`gradients in ${type}`, size, threads, done));
      if (size === 2) told(rowOf("plain TCP", size, threads, peer));
    }
    for (const rank of ranks) rank.disconnect();
  }
console.table(
  rows.map(({ what, ranks, threads, ...row }) => ({
    ...{ what, ranks, threads },
    seconds: row.seconds.toFixed(3),
    "GB sent by each": row.sentGigabytes.toFixed(2),
    "GB/s each way": row.gigabytesPerSecond.toFixed(2),
    "per pair": row.gigabytesPerSecondAndPair.toFixed(2),
    "CPU s per GB and rank": row.cpuSecondsPerGigabyte.toFixed(2),
  })),
);
if (flags.json !== undefined) {
  const load = { loadBefore, loadAfter: loadavg() };
  writeResult(flags.json, { bytes, rounds, rows, cpus: cpus().length, node: process.version, ...load });
}
process.exit(0);
