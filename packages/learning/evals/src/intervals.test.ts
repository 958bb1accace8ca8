import { createRandom } from "@palimpsest/std/random";
import { describe, expect, it } from "vitest";
import { differenceInterval, mcNemarP, pairedDifference, wilsonInterval } from "./intervals.js";

const digits = (interval: { low: number; high: number }) => [
  interval.low.toFixed(4),
  interval.high.toFixed(4),
];

describe("wilsonInterval", () => {
  it("agrees with the published values (Newcombe 1998, table I, method 3)", () => {
    expect(digits(wilsonInterval(81, 263))).toEqual(["0.2553", "0.3662"]);
    expect(digits(wilsonInterval(15, 148))).toEqual(["0.0624", "0.1605"]);
    expect(digits(wilsonInterval(0, 20))).toEqual(["0.0000", "0.1611"]);
    expect(digits(wilsonInterval(1, 29))).toEqual(["0.0061", "0.1718"]);
  });

  it("mirrors and knows nothing of nothing", () => {
    const { low, high } = wilsonInterval(3, 10);
    expect(wilsonInterval(7, 10).low).toBeCloseTo(1 - high, 12);
    expect(wilsonInterval(7, 10).high).toBeCloseTo(1 - low, 12);
    expect(wilsonInterval(20, 20).high).toBe(1);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe("differenceInterval", () => {
  it("agrees with the published value of independent samples (Newcombe 1998, 56/70 against 48/80)", () => {
    const share = (successes: number, n: number) => ({
      share: successes / n,
      interval: wilsonInterval(successes, n),
    });
    expect(digits(differenceInterval(share(56, 70), share(48, 80)))).toEqual(["0.0524", "0.3339"]);
  });
});

describe("pairedDifference", () => {
  it("covers the true difference in 93 to 99 % of repetitions", () => {
    const random = createRandom("coverage");
    for (const [before, rise, fall, n] of [
      [0.3, 0.6, 0.1, 64],
      [0.9, 0.5, 0.02, 64],
      [0.5, 0.1, 0.1, 128],
    ] as const) {
      const truth = (1 - before) * rise - before * fall;
      let covered = 0;
      const repetitions = 4000;
      for (let i = 0; i < repetitions; i++) {
        const counts = { bothRight: 0, onlyAfter: 0, onlyBefore: 0, bothWrong: 0 };
        for (let task = 0; task < n; task++) {
          if (random.float() < before) counts[random.float() < fall ? "onlyBefore" : "bothRight"] += 1;
          else counts[random.float() < rise ? "onlyAfter" : "bothWrong"] += 1;
        }
        const { interval } = pairedDifference(counts);
        if (interval.low <= truth && truth <= interval.high) covered += 1;
      }
      expect(covered / repetitions).toBeGreaterThan(0.93);
      expect(covered / repetitions).toBeLessThan(0.99);
    }
  });

  it("is not sure of zero where no task changed", () => {
    const { difference, interval } = pairedDifference({
      bothRight: 10,
      onlyAfter: 0,
      onlyBefore: 0,
      bothWrong: 10,
    });
    expect(difference).toBe(0);
    expect(interval.low).toBeLessThan(0);
    expect(interval.high).toBeGreaterThan(0);
    expect(pairedDifference({ bothRight: 0, onlyAfter: 0, onlyBefore: 0, bothWrong: 0 }).interval).toEqual({
      low: -1,
      high: 1,
    });
  });

  it("turns its sign with the sides", () => {
    const forth = pairedDifference({ bothRight: 20, onlyAfter: 15, onlyBefore: 3, bothWrong: 12 });
    const back = pairedDifference({ bothRight: 20, onlyAfter: 3, onlyBefore: 15, bothWrong: 12 });
    expect(forth.difference).toBe(0.24);
    expect(back.interval.low).toBeCloseTo(-forth.interval.high, 12);
    expect(back.interval.high).toBeCloseTo(-forth.interval.low, 12);
  });
});

describe("mcNemarP", () => {
  it("is the exact binomial probability", () => {
    const p = (onlyAfter: number, onlyBefore: number) =>
      mcNemarP({ bothRight: 5, onlyAfter, onlyBefore, bothWrong: 5 });
    expect(p(0, 0)).toBe(1);
    expect(p(5, 0)).toBeCloseTo(2 / 32, 12);
    expect(p(1, 9)).toBeCloseTo((2 * 11) / 1024, 12);
    expect(p(4, 4)).toBe(1);
    expect(p(2000, 1000)).toBeLessThan(1e-60);
  });
});
