/**
 * Shows whether ten tenants get what their weights are worth, in simulated time: nine ask for three times what the
 * cluster has, and the tenth for a hundredth of that, three times the cluster at once. Weights are from 1 to 5, or 1
 * with --equal. With --schedules N it also runs N random schedules of requests with priorities, weights, quotas and
 * scopes, and compares each placement with accounts of its own.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/shares.ts [--equal] [--cpus 100] [--seconds 10000] [--schedules 0]
 *   [--first 1] [--json FILE]
 */
import { randomOf, runSchedule } from "../packages/runtime/scheduler/src/testing/schedule.js";
import { shareCluster, tenTenants } from "../packages/runtime/scheduler/src/testing/tenants.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({
  equal: false,
  cpus: "100",
  seconds: "10000",
  schedules: "0",
  first: "1",
  json: undefined,
});
const [cpus, seconds, schedules, first] = [flags.cpus, flags.seconds, flags.schedules, flags.first].map(
  Number,
) as [number, number, number, number];

const tenants = tenTenants(cpus, flags.equal);
const together = shareCluster(tenants, cpus, seconds, randomOf(first));
const alone = shareCluster(tenants.slice(-1), cpus, seconds, randomOf(first + 1));
const big = together.slice(0, -1);
const cpuSeconds = big.reduce((sum, tenant) => sum + tenant.cpuSeconds, 0);
const weights = big.reduce((sum, tenant) => sum + tenant.weight, 0);
const rows = [...together, ...alone.map((tenant) => ({ ...tenant, name: `${tenant.name}, alone` }))].map(
  ({ name, weight, asked, cpuSeconds: used, waitSeconds }, index) => ({
    name,
    weight,
    leases: asked,
    cpuSeconds: Math.round(used),
    shareOfWeight: index < big.length ? used / cpuSeconds / (weight / weights) : undefined,
    waitP50Seconds: waitSeconds.p50,
    waitP99Seconds: waitSeconds.p99,
  }),
);
process.stdout.write("| tenant | weight | leases | CPU s | share ÷ weight | wait p50, s | wait p99, s |\n");
process.stdout.write("|---|---|---|---|---|---|---|\n");
for (const row of rows)
  process.stdout.write(
    `| ${row.name} | ${row.weight} | ${row.leases} | ${row.cpuSeconds} | ${row.shareOfWeight?.toFixed(3) ?? ""} | ${row.waitP50Seconds.toFixed(1)} | ${row.waitP99Seconds.toFixed(1)} |\n`,
  );

let broken = 0;
for (let seed = first; seed < first + schedules; seed++) {
  const violation = runSchedule(seed);
  if (violation === undefined) continue;
  broken += 1;
  process.stdout.write(`schedule ${seed} breaks ${violation.invariant}: ${violation.message}\n`);
}
if (schedules > 0) process.stdout.write(`${schedules} schedules, ${broken} of them broke an invariant\n`);
if (flags.json !== undefined)
  writeResult(flags.json, { cpus, seconds, rows, schedules: { run: schedules, broken } });
if (broken > 0) process.exitCode = 1;
