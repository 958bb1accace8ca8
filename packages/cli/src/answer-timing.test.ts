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

it("says nothing of tokens that nobody counted", () => {
  const clock = [0, 250, 1000];
  const timing = new AnswerTiming(() => clock.shift() ?? 0);
  timing.piece();
  expect(timesText(timing.end(undefined))).toBe("first token after 0.25 s in 1.00 s");
});
