/**
 * Measures values of the cluster on one host: a driver's put, get and wait. Prints a table, with Ray beside it when a
 * Python with ray is available (PALIMPSEST_RAY_PYTHON, default python3); with --json FILE also writes the figures.
 * Needs built code: `npx tsc -b packages/cli`.
 *
 * Usage: npx tsx bench/runtime/objects.ts [--json FILE]; PALIMPSEST_BENCH_SECONDS is the time of each case, default 2
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Cluster, ObjectRef } from "@palimpsest/client";
import { TestCluster } from "../../test/support/test-cluster.js";
import { Contender, median } from "../contender.js";
import { rateIn } from "./window.js";

const { values: flags } = parseArgs({ options: { json: { type: "string" } } });
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 2);
const windowMs = 250;
const hundredMegabytes = 100_000_000;

interface Case {
  readonly name: string;
  readonly unit: "/s" | "GB/s";
  /**
   * Runs the case once.
   * @returns how many operations, or how many bytes
   */
  readonly once: (cluster: Cluster) => Promise<number>;
}

const bytes = new Uint8Array(hundredMegabytes).fill(1);
const into = new ArrayBuffer(hundredMegabytes);
let large: ObjectRef<Uint8Array> | undefined;
let thousand: ObjectRef<string>[] = [];
const largeRef = async (cluster: Cluster) => (large ??= await cluster.put(bytes));

const cases: readonly Case[] = [
  {
    name: "put small",
    unit: "/s",
    once: async (cluster) => {
      await cluster.put("ok");
      return 1;
    },
  },
  {
    name: "put 64 KiB",
    unit: "/s",
    once: async (cluster) => {
      await cluster.put(bytes.subarray(0, 64 * 1024));
      return 1;
    },
  },
  {
    name: "put 256 KiB",
    unit: "/s",
    once: async (cluster) => {
      (await cluster.put(bytes.subarray(0, 256 * 1024))).release();
      return 1;
    },
  },
  {
    name: "put 100 MB",
    unit: "GB/s",
    once: async (cluster) => {
      (await cluster.put(bytes)).release();
      return hundredMegabytes;
    },
  },
  {
    name: "get 100 MB",
    unit: "GB/s",
    once: async (cluster) => {
      await cluster.get(await largeRef(cluster));
      return hundredMegabytes;
    },
  },
  {
    name: "get 100 MB, into a buffer",
    unit: "GB/s",
    once: async (cluster) => {
      await cluster.get(await largeRef(cluster), { into });
      return hundredMegabytes;
    },
  },
  {
    name: "wait on 1,000 references",
    unit: "/s",
    once: async (cluster) => {
      if (thousand.length === 0)
        thousand = await Promise.all(Array.from({ length: 1_000 }, () => cluster.put("ok")));
      await cluster.wait(thousand, { count: 1_000 });
      return 1;
    },
  },
];

const cluster = await TestCluster.start({ workers: 1 });
const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
const ray = new Contender("ray", python, [fileURLToPath(new URL("./ray_objects.py", import.meta.url))]);
const rows = [];
try {
  let hasRay = (await ray.ask({ name: "ready" })) !== undefined;
  for (const { name, unit, once } of cases) {
    const act = () => once(cluster.client);
    await rateIn(windowMs, act);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let done = 0; done < (secondsPerCase * 1_000) / windowMs; done++) {
      ours.push(await rateIn(windowMs, act));
      const answer = hasRay
        ? ((await ray.ask({ name, windowMs })) as { rate: number | null } | undefined)
        : undefined;
      hasRay &&= answer !== undefined;
      if (answer?.rate != null) theirs.push(answer.rate);
    }
    const scale = unit === "GB/s" ? 1e9 : 1;
    const rayRate = theirs.length > 0 ? round(median(theirs) / scale) : undefined;
    rows.push({ name, unit, palimpsest: round(median(ours) / scale), ray: rayRate });
  }
} finally {
  await ray.close();
  await cluster.stop();
}
console.table(rows);
if (flags.json !== undefined)
  writeFileSync(
    flags.json,
    `${JSON.stringify({ cpus: cpus().length, node: process.version, rows }, undefined, 2)}\n`,
  );

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
