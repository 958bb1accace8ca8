/**
 * Measures the transfer of an object of 1 GiB from one node to one other and to eight at once. All nodes are processes
 * on this host: they act as nodes of one machine, which adopt files, or as nodes of several machines, which send bytes
 * (--no-object-adoption). A value has a random name; bytes that are named by their SHA-256 are hashed by each receiver.
 * Prints a table; with --json FILE it also writes the figures. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/transfer.ts [--rounds 5] [--megabytes 1024] [--receivers 1,8] [--ways machine,network]
 *   [--kinds value,content] [--json FILE]
 */
import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { Objects } from "@palimpsest/client";
import { grpcNetwork } from "@palimpsest/wire";
import { TestCluster } from "../../test/support/test-cluster.js";
import { until } from "../../test/support/until.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  rounds: "5",
  megabytes: "1024",
  receivers: "1,8",
  ways: "machine,network",
  kinds: "value,content",
  json: undefined,
});
const sizeBytes = Number(flags.megabytes) * 1024 * 1024;
const receiverCounts = flags.receivers.split(",").map(Number);
const timeoutMs = 300_000;

interface Row {
  readonly way: string;
  readonly kind: string;
  readonly receivers: number;
  readonly seconds: readonly number[];
  readonly gigabytesPerSecond: number;
  /** Processor seconds of all nodes, which is the cost also when others use the machine. */
  readonly cpuSecondsPerGigabyte: number;
}

/** The processor seconds of the nodes so far. The kernel's clock has 100 ticks per second. */
function cpuSecondsOf({ workers }: TestCluster): number {
  const ticks = workers.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}

const rows: Row[] = [];
for (const way of flags.ways.split(",")) {
  const cluster = await TestCluster.start({ workers: 0 });
  try {
    const args = ["--warm-processes", "0", ...(way === "network" ? ["--no-object-adoption"] : [])];
    for (let started = 0; started <= Math.max(...receiverCounts); started++) await cluster.startWorker(args);
    const nodes = await until("all nodes are known", async () => {
      const known = (await cluster.client.nodes()).filter(({ state }) => state === "alive");
      return known.length > Math.max(...receiverCounts) && known;
    });
    const at = nodes.map(
      ({ objectsAddress }) =>
        new Objects({
          address: async () => objectsAddress,
          network: grpcNetwork({ token: cluster.token }),
          holder: cluster.client.sessionId,
          defaultTimeoutMs: timeoutMs,
        }),
    );
    const bytes = new Uint8Array(sizeBytes);
    for (const kind of flags.kinds.split(",")) {
      for (const receivers of receiverCounts) {
        const seconds: number[] = [];
        const cpuSeconds: number[] = [];
        // One more round warms up the connections and is not counted.
        for (let round = 0; round <= Number(flags.rounds); round++) {
          randomFillSync(bytes, 0, 4096);
          const value = kind === "value" ? await cluster.client.put(bytes) : undefined;
          const ref = value ?? (await cluster.client.objects.put(bytes, { timeoutMs }));
          const where = await cluster.client.locateObject(ref);
          const others = at
            .filter((_, index) => !where.includes(nodes[index]?.objectsAddress ?? ""))
            .slice(0, receivers);
          const cpuBefore = cpuSecondsOf(cluster);
          const startedAt = performance.now();
          await Promise.all(others.map((objects) => objects.hold(ref, { timeoutMs })));
          if (round > 0) {
            seconds.push((performance.now() - startedAt) / 1000);
            cpuSeconds.push(cpuSecondsOf(cluster) - cpuBefore);
          }
          await cluster.client.objects.free(ref);
          value?.release();
        }
        const gigabytesPerSecond = (receivers * sizeBytes) / 1e9 / median(seconds);
        const cpuSecondsPerGigabyte = median(cpuSeconds) / ((receivers * sizeBytes) / 1e9);
        rows.push({ way, kind, receivers, seconds, gigabytesPerSecond, cpuSecondsPerGigabyte });
        console.log(
          way,
          kind,
          receivers,
          gigabytesPerSecond.toFixed(2),
          "GB/s",
          cpuSecondsPerGigabyte.toFixed(2),
          "s of CPU per GB,",
          seconds.map((s) => s.toFixed(2)).join(" "),
        );
      }
    }
    for (const objects of at) await objects.close();
  } finally {
    await cluster.stop();
  }
}
console.table(
  rows.map(({ seconds, gigabytesPerSecond, cpuSecondsPerGigabyte, ...row }) => ({
    ...row,
    "median s": median(seconds).toFixed(3),
    "GB/s together": gigabytesPerSecond.toFixed(2),
    "CPU s per GB": cpuSecondsPerGigabyte.toFixed(2),
  })),
);
if (flags.json !== undefined) {
  const report = { sizeBytes, rows, cpus: cpus().length, node: process.version };
  writeResult(flags.json, report);
}
