import { expect, test } from "vitest";
import type { UseSeries } from "../api/cluster.js";
import { clusterUse } from "./cluster-use.js";

const series = (id: string, cpuPercent: (number | null)[], memoryBytes: (number | null)[]): UseSeries => ({
  id,
  cpuPercent,
  memoryBytes,
  diskBytes: [],
  gpuPercent: [],
  gpuMemoryBytes: [],
  memoryTotalBytes: 10,
  diskTotalBytes: 0,
  gpuMemoryTotalBytes: 0,
});

test("CPU is a mean, memory a sum, a machine with two nodes counts once, and what nobody reported is a gap", () => {
  const nodes = ["a", "b", "c"].map((nodeId) => ({ nodeId, hostname: nodeId === "c" ? "b" : nodeId }));
  const use = {
    intervalMs: 5_000,
    processes: {},
    series: [
      series("a", [null, 20, 40], [null, 1, 2]),
      series("b", [null, null, 80], [null, null, 3]),
      series("c", [null, null, 80], [null, null, 3]),
    ],
  };
  expect(clusterUse(use, nodes)).toEqual({
    intervalMs: 5_000,
    cpuPercent: [null, 20, 60],
    memoryBytes: [null, 1, 5],
    memoryTotalBytes: 20,
  });
  // The newest interval, in which only one machine has reported so far, shows no dip.
  const newest = { ...use, series: [series("a", [40, 20], [2, 1]), series("b", [80, null], [3, null])] };
  expect(clusterUse(newest, nodes)).toMatchObject({ cpuPercent: [60, 50], memoryBytes: [5, 4] });
  expect(clusterUse({ ...use, series: [] }, nodes)).toMatchObject({ cpuPercent: [], memoryTotalBytes: 0 });
});
