import { describe, expect, it } from "vitest";
import { ScheduleConfig } from "../config/config.js";
import { learningRateAt } from "./schedule.js";

describe("learningRateAt", () => {
  const base = { learningRate: 1, warmupSteps: 4, totalSteps: 14 };

  it("warms up linearly without a step at zero", () => {
    const config = ScheduleConfig.parse(base);
    const rates = [0, 1, 2, 3, 4, 100].map((step) => learningRateAt(step, config));
    [0.2, 0.4, 0.6, 0.8, 1, 1].forEach((rate, index) => {
      expect(rates[index]).toBeCloseTo(rate, 12);
    });
  });

  it.each([
    ["linear", [1, 0.55, 0.1, 0.1]],
    ["cosine", [1, 0.55, 0.1, 0.1]],
  ] as const)("%s goes from the peak to endFraction and stays there", (kind, wanted) => {
    const config = ScheduleConfig.parse({ ...base, kind, endFraction: 0.1 });
    [4, 9, 14, 99].forEach((step, index) => {
      expect(learningRateAt(step, config)).toBeCloseTo(wanted[index] ?? Number.NaN, 12);
    });
  });

  it("cosine is above linear in its first half", () => {
    const at = (kind: "linear" | "cosine") => learningRateAt(6, ScheduleConfig.parse({ ...base, kind }));
    expect(at("cosine")).toBeGreaterThan(at("linear"));
  });
});
