/**
 * Measures values of the cluster on one host: a driver's put, get and wait. Prints a table, with Ray beside it when a
 * Python with ray is available (PALIMPSEST_RAY_PYTHON, default python3); with --json FILE also writes the figures.
 * Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/objects.ts [--json FILE]; PALIMPSEST_BENCH_SECONDS is the time of each case, default 2
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Cluster, ObjectRef } from "@palimpsest/client";
import { besideRay, type RayCase } from "./beside-ray.js";

const { values: flags } = parseArgs({ options: { json: { type: "string" } } });
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 2);
const windowMs = 250;
const hundredMegabytes = 100_000_000;

interface Case extends RayCase {
  readonly unit: "/s" | "GB/s";
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

const rates = await besideRay("./ray_objects.py", cases, { windowMs, secondsPerCase });
const rows = cases.map(({ name, unit }, at) => {
  const { palimpsest = 0, ray } = rates[at] ?? {};
  const scaled = (rate: number) => round(rate / (unit === "GB/s" ? 1e9 : 1));
  return { name, unit, palimpsest: scaled(palimpsest), ray: ray === undefined ? undefined : scaled(ray) };
});
console.table(rows);
if (flags.json !== undefined)
  writeFileSync(
    flags.json,
    `${JSON.stringify({ cpus: cpus().length, node: process.version, rows }, undefined, 2)}\n`,
  );

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
