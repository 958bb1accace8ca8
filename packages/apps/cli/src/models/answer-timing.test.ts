import { expect, it } from "vitest";
import { AnswerTiming, timesText } from "./answer-timing.js";

it("tells the first token's time and the speed over the whole answer", () => {
  const clock = [1000, 1500, 2000, 3000];
  const timing = new AnswerTiming(() => clock.shift() ?? 0);
  timing.piece();
  timing.piece();
  // The second piece asked for no time.
  expect(timing.end(20)).toEqual({
    firstTokenSeconds: 0.5,
    seconds: 1,
    sampledTokens: 20,
    tokensPerSecond: 20,
  });
});

it("names no first token of answers that came whole", () => {
  const clock = [0, 2000];
  const timing = new AnswerTiming(() => clock.shift() ?? 0);
  expect(timesText(timing.end(60))).toBe("60 tokens in 2.00 s, 30.0 tokens/s");
});

it("says nothing of tokens that nobody counted", () => {
  const clock = [0, 250, 1000];
  const timing = new AnswerTiming(() => clock.shift() ?? 0);
  timing.piece();
  expect(timesText(timing.end(undefined))).toBe("first token after 0.25 s, answered in 1.00 s");
});
