import { describe, expect, it } from "vitest";
import { progressLine } from "./make-base.js";

describe("progressLine", () => {
  it("tells stage, step, loss, pace and the time left once a pace is known", () => {
    const progress = {
      stage: "recall",
      step: 7,
      steps: 200,
      loss: 1.23456,
      tokensPerSecond: 45_600,
    } as const;
    const line = "recall step 7/200  loss 1.2346  45.6k tokens/s  ETA ";
    expect(progressLine({ ...progress, secondsLeft: 75 })).toBe(`${line}1 min 15 s`);
    expect(progressLine({ ...progress, secondsLeft: Number.NaN })).toBe(`${line}–`);
  });
});
