import { createRandom } from "@palimpsest/std/random";
import { describe, expect, it } from "vitest";
import { holm, meanInterval, signFlipP } from "./resampling.js";

const values = (list: readonly number[]) => list.map((value, i) => ({ value, cluster: `q${i}` }));
const clusters = (list: readonly number[]) =>
  list.flatMap((value, i) => Array.from({ length: 5 }, () => ({ value, cluster: `q${i}` })));

describe("meanInterval", () => {
  it("holds the true mean in about 95 of 100 samples", () => {
    const random = createRandom("coverage");
    let held = 0;
    const samples = 300;
    for (let i = 0; i < samples; i++) {
      // It is triangular on [0, 1] with mean 1/2.
      const sample = values(Array.from({ length: 60 }, () => (random.float() + random.float()) / 2));
      const { low, high } = meanInterval(sample);
      if (low <= 0.5 && 0.5 <= high) held += 1;
    }
    expect(held / samples).toBeGreaterThan(0.91);
    expect(held / samples).toBeLessThan(0.98);
  });

  it("is not made narrower by asking the same question several times", () => {
    const sample = Array.from({ length: 20 }, (_, i) => (i % 3) / 2);
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    const once = width(meanInterval(values(sample)));
    expect(width(meanInterval(clusters(sample)))).toBeCloseTo(once, 9);
    expect(width(meanInterval(values(clusters(sample).map(({ value }) => value))))).toBeLessThan(0.6 * once);
  });

  it("is the value alone where all are equal, unless it is told better", () => {
    expect(meanInterval(values([0.2, 0.2, 0.2]))).toEqual({ low: 0.2, high: 0.2 });
    expect(meanInterval(values([0, 0]), (value, n) => ({ low: value, high: 1 / n }))).toEqual({
      low: 0,
      high: 0.5,
    });
  });
});

describe("signFlipP", () => {
  it("is near the exact value: 2 of 2^n assignments are as extreme when all signs agree", () => {
    expect(signFlipP(values([1, 1, 1, 1, 1]))).toBeCloseTo(2 / 32, 1);
    expect(signFlipP(values(Array.from({ length: 40 }, () => 0.3)))).toBeLessThan(0.001);
  });

  it("is 1 without any difference, and never 0", () => {
    expect(signFlipP(values([0, 0, 0]))).toBe(1);
    expect(signFlipP(values(Array.from({ length: 200 }, () => 1)))).toBeGreaterThan(0);
  });

  it("says below 0.05 in about 5 of 100 samples where nothing differs", () => {
    const random = createRandom("null");
    let found = 0;
    const samples = 300;
    for (let i = 0; i < samples; i++) {
      if (signFlipP(values(Array.from({ length: 40 }, () => random.float() - random.float()))) < 0.05)
        found += 1;
    }
    expect(found / samples).toBeLessThan(0.09);
    expect(found / samples).toBeGreaterThan(0.015);
  });

  it("counts a question once, however often it is asked", () => {
    expect(signFlipP(clusters([1, 1, 1]))).toBeCloseTo(2 / 8, 1);
  });
});

describe("holm", () => {
  it("multiplies the smallest by their number, the next by one less, and never falls", () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(holm([0.6, 0.9])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
