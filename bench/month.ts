/**
 * Lets a head live through a busy month in virtual time, and shows after each day what it takes: its heap after a
 * collection, the rows and bytes of its store, its metrics page. A head of months must not take more than one of a day.
 *
 * Usage: node --expose-gc --import tsx --conditions=@palimpsest/source bench/month.ts [--days 30] [--json FILE]
 */
import { benchFlags } from "./flags.js";
import { BusyMonth, type HeadSize } from "./month/busy-month.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({ days: "30", json: undefined });
const days = Number(flags.days);
const minutesOfDay = 1_440;

if (global.gc === undefined) throw new Error("the heap is measured after collections: give node --expose-gc");
const month = await BusyMonth.open();
const curve: HeadSize[] = [];
process.stdout.write("| day | heap, MB | rows | store, MB | metrics, KB | timers | actors | task events |\n");
process.stdout.write("|---|---|---|---|---|---|---|---|\n");
for (let day = 1; day <= days; day++) {
  for (let minute = 0; minute < minutesOfDay; minute++) await month.minute();
  const size = await month.size();
  curve.push(size);
  const { heapBytes, storeRows, storeBytes, metricsBytes, timers, actors, events } = size;
  process.stdout.write(
    `| ${day} | ${(heapBytes / 1e6).toFixed(1)} | ${storeRows} | ${(storeBytes / 1e6).toFixed(2)} | ${(metricsBytes / 1e3).toFixed(1)} | ${timers} | ${actors} | ${events} |\n`,
  );
}
await month.close();
const heaps = curve.map(({ heapBytes }) => heapBytes / (curve[0]?.heapBytes ?? 1));
const [least, most] = [Math.min(...heaps), Math.max(...heaps)];
process.stdout.write(`heap beside that after the first day: ${least.toFixed(3)} to ${most.toFixed(3)}\n`);
if (flags.json !== undefined) writeResult(flags.json, { days, node: process.version, least, most, curve });
