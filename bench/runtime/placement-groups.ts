/**
 * Measures placement groups that are created, awaited and removed, one after the other and a hundred at once. Prints a
 * table, with Ray beside it when a Python with ray is available (PALIMPSEST_RAY_PYTHON, default python3); with --json
 * FILE also writes the figures. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/placement-groups.ts [--json FILE]; PALIMPSEST_BENCH_SECONDS is the time of each case,
 *   default 4
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { besideRay, type RayCase } from "./beside-ray.js";

const { values: flags } = parseArgs({ options: { json: { type: "string" } } });
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 4);
const windowMs = 500;
/** This many groups fit at once, so the measurement does not include waiting for room. */
const atOnce = 100;
const bundles = [{ cpu: 0.01 }];

const cases: readonly RayCase[] = [
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

const rates = await besideRay("./ray_placement_groups.py", cases, { windowMs, secondsPerCase });
const rows = rates.map(({ palimpsest, ray }, at) => ({
  name: cases[at]?.name,
  palimpsestPerSecond: Math.round(palimpsest),
  rayPerSecond: ray === undefined ? undefined : Math.round(ray),
}));
console.table(rows);
if (flags.json !== undefined) {
  const report = { cpus: cpus().length, node: process.version, rows };
  writeFileSync(flags.json, `${JSON.stringify(report, undefined, 2)}\n`);
}
