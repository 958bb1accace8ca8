import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { gpuUse, UseMeter, useIntervalMs } from "./use-meter.js";

/** A process as /proc shows it. */
function processFile(folder: string, pid: number, ticks: number): void {
  mkdirSync(join(folder, String(pid)), { recursive: true });
  const before = "S 1 1 1 0 -1 4194560 100 0 0 0";
  writeFileSync(
    join(folder, String(pid), "stat"),
    `${pid} (a (strange) name) ${before} ${ticks} 20 0 0 20 0`,
  );
  writeFileSync(join(folder, String(pid), "status"), "Name:\ta\nVmRSS:\t    2048 kB\nThreads:\t7\n");
}

test("the processor time of a process since the previous measurement, its memory, and the machine's", () => {
  const processes = testFolder();
  let nowMs = 0;
  const meter = new UseMeter({
    ...{ clock: { monotonicMs: () => nowMs }, folder: processes, hasGpus: false },
    processes,
  });
  const own = [
    { id: "actor-1", pid: 71 },
    { id: "actor-starting", pid: 0 },
    { id: "actor-gone", pid: 72 },
  ];
  processFile(processes, 71, 100);
  const first = meter.read(() => own);
  expect(first?.processes).toEqual([{ id: "actor-1", cpuPercent: 0, memoryBytes: 2 ** 21 }]);
  expect(first?.memoryUsedBytes).toBeGreaterThan(0);
  expect(first?.memoryTotalBytes).toBeGreaterThan(first?.memoryUsedBytes ?? 0);
  expect(first?.diskTotalBytes).toBeGreaterThan(first?.diskUsedBytes ?? 0);
  nowMs += useIntervalMs - 1;
  expect(meter.read(() => own)).toBeUndefined();
  nowMs += 1;
  processFile(processes, 71, 100 + (1.5 * useIntervalMs) / 10);
  expect(meter.read(() => own)?.processes).toMatchObject([{ id: "actor-1", cpuPercent: 150 }]);
});

test("GPUs as nvidia-smi tells them, of which one keeps a number to itself", () => {
  expect(gpuUse("37, 1024, 81559\n[N/A], 0, 81559\n")).toEqual([
    { percent: 37, memoryUsedBytes: 2 ** 30, memoryTotalBytes: 81_559 * 2 ** 20 },
    { percent: 0, memoryUsedBytes: 0, memoryTotalBytes: 81_559 * 2 ** 20 },
  ]);
});
