/**
 * Measures placement groups that are created, awaited and removed, one after the other and a hundred at once. Prints a
 * table, with Ray beside it when a Python with ray is available (PALIMPSEST_RAY_PYTHON, default python3); with --json
 * FILE also writes the figures. Needs built code: `npx tsc -b packages/cli`.
 *
 * Usage: npx tsx bench/runtime/placement-groups.ts [--json FILE]; PALIMPSEST_BENCH_SECONDS is the time of each case,
 *   default 4
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Cluster } from "@palimpsest/client";
import { TestCluster } from "../../test/support/test-cluster.js";
import { Contender, median } from "../contender.js";
import { rateIn } from "./window.js";

const { values: flags } = parseArgs({ options: { json: { type: "string" } } });
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 4);
const windowMs = 500;
/** This many groups fit at once, so the measurement does not include waiting for room. */
const atOnce = 100;
const bundles = [{ cpu: 0.01 }];

interface Case {
  readonly name: string;
  /** @returns how many groups were created and removed */
  readonly once: (cluster: Cluster) => Promise<number>;
}

const cases: readonly Case[] = [
  {
    name: "create, ready, remove",
    once: async (cluster) => {
      const group = await cluster.placementGroup({ bundles });
      await group.ready();
      await group.remove();
      return 1;
    },
  },
  {
    name: "create, ready, remove: 100 at once",
    once: async (cluster) => {
      const groups = await Promise.all(
        Array.from({ length: atOnce }, () => cluster.placementGroup({ bundles })),
      );
      await Promise.all(groups.map((group) => group.ready()));
      await Promise.all(groups.map((group) => group.remove()));
      return atOnce;
    },
  },
];

const cluster = await TestCluster.start({ workers: 1 });
const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
const script = fileURLToPath(new URL("./ray_placement_groups.py", import.meta.url));
const ray = new Contender("ray", python, [script]);
const rows = [];
try {
  let hasRay = (await ray.ask({ name: "ready" })) !== undefined;
  for (const { name, once } of cases) {
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
    const rayPerSecond = theirs.length > 0 ? Math.round(median(theirs)) : undefined;
    rows.push({ name, palimpsestPerSecond: Math.round(median(ours)), rayPerSecond });
  }
} finally {
  await ray.close();
  await cluster.stop();
}
console.table(rows);
if (flags.json !== undefined) {
  const report = { cpus: cpus().length, node: process.version, rows };
  writeFileSync(flags.json, `${JSON.stringify(report, undefined, 2)}\n`);
}
