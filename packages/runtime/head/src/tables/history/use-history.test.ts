import fc from "fast-check";
import { expect, test } from "vitest";
import { UseHistory, useIntervalMs, usePoints } from "./use-history.js";

const report = fc.record({
  waitMs: fc.oneof(fc.nat(useIntervalMs), fc.nat(20 * 60_000)),
  node: fc.nat(4),
  process: fc.nat(6),
  cpuPercent: fc.nat(800),
});

test("a series has the last report of each interval of 15 minutes and nothing older, in bounded memory (USE-1, USE-2)", () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 60 }), (reports) => {
      let nowMs = 0;
      const bounds = { nodes: 3, processes: 4 };
      const history = new UseHistory({ monotonicMs: () => nowMs }, bounds);
      /** By id, the longest ago reported one first: interval and value of each report. */
      const nodes = new Map<string, Map<number, number>>();
      const processes = new Map<string, Map<number, number>>();
      const note = (kept: typeof nodes, id: string, most: number, value: number) => {
        const known = kept.get(id) ?? new Map<number, number>();
        kept.delete(id);
        kept.set(id, known.set(Math.floor(nowMs / useIntervalMs), value));
        for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest);
      };
      for (const { waitMs, node, process, cpuPercent } of reports) {
        nowMs += waitMs;
        const use = { cpuPercent, memoryUsedBytes: 1, memoryTotalBytes: 2 };
        history.report(`node-${node}`, { ...use, processes: [{ id: `actor-${process}`, cpuPercent }] });
        note(nodes, `node-${node}`, bounds.nodes, cpuPercent);
        note(processes, `actor-${process}`, bounds.processes, cpuPercent);
        expect(history.bytes).toBeLessThanOrEqual(bounds.nodes * 3_600 + bounds.processes * 1_440);
      }
      const slot = Math.floor(nowMs / useIntervalMs);
      const all = [...nodes, ...processes];
      const asked = [0, 1, 2, 3, 4, 5, 6].flatMap((at) => [`node-${at}`, `actor-${at}`]);
      const answer = new Map(history.list(asked).series?.map((series) => [series.id, series.cpuPercent]));
      const expected = all.flatMap(([id, points]) => {
        const values = Array.from(
          { length: usePoints },
          (_, index) => points.get(slot - usePoints + 1 + index) ?? Number.NaN,
        );
        return values.every(Number.isNaN) ? [] : [[id, values] as const];
      });
      expect(answer).toEqual(new Map(expected));
    }),
    { numRuns: 60 },
  );
});

test("what has not reported for 15 minutes is forgotten with the next report (USE-1)", () => {
  let nowMs = 0;
  const history = new UseHistory({ monotonicMs: () => nowMs });
  for (let process = 0; process < 100; process++) {
    history.report("node-1", { cpuPercent: 1, processes: [{ id: `actor-${process}`, cpuPercent: 1 }] });
    nowMs += 60_000;
  }
  // Fifteen minutes have that many processes of one minute each.
  expect(history.bytes).toBeLessThanOrEqual(3_600 + 16 * 1_440);
});

test("all nodes and the newest values of processes that report; no GPU or disk where none is known", () => {
  let nowMs = 0;
  const history = new UseHistory({ monotonicMs: () => nowMs });
  const use = { cpuPercent: 50, memoryUsedBytes: 3, memoryTotalBytes: 4 };
  history.report("node-1", { ...use, processes: [{ id: "actor-gone", cpuPercent: 1, memoryBytes: 1 }] });
  nowMs += 4 * useIntervalMs;
  const gpu = { percent: 30, memoryUsedBytes: 5, memoryTotalBytes: 9 };
  history.report("node-1", { ...use, processes: [{ id: "actor-1", cpuPercent: 150, memoryBytes: 7 }] });
  history.report("node-2", {
    ...use,
    gpus: [gpu, { ...gpu, percent: 50 }],
    diskTotalBytes: 8,
    diskUsedBytes: 2,
  });
  const { series, processes, intervalMs } = history.list([]);
  expect(intervalMs).toBe(useIntervalMs);
  expect(processes).toEqual([{ id: "actor-1", cpuPercent: 150, memoryBytes: 7 }]);
  expect(series?.map(({ id }) => id)).toEqual(["node-1", "node-2"]);
  expect(series?.[0]).not.toHaveProperty("gpuPercent");
  expect(series?.[0]).not.toHaveProperty("diskBytes");
  const last = (values: readonly number[] | null | undefined) => values?.at(-1);
  expect(last(series?.[1]?.gpuPercent)).toBe(40);
  expect(last(series?.[1]?.gpuMemoryBytes)).toBe(10);
  expect(series?.[1]).toMatchObject({ gpuMemoryTotalBytes: 18, diskTotalBytes: 8 });
  nowMs += usePoints * useIntervalMs;
  expect(history.list([])).toMatchObject({ series: [], processes: [] });
});
