import { expect, it } from "vitest";
import { toldLogprobs } from "./token-logprobs.js";

it("after the temperature a token has one number, sampled or among the likeliest, and none above the first of these", () => {
  for (let i = 1; i < 500; i++) {
    const temperature = 0.1 + (i % 17) / 7;
    const logprobs = Array.from({ length: 5 }, (_, k) => -Math.abs(Math.sin(i * 12.9898)) - (k * i) / 777);
    const tokenIds = logprobs.map((_, k) => k);
    for (const [k, raw] of logprobs.entries()) {
      const sampledLogprob = -Math.abs(Math.cos(i * 78.233)) * 4;
      const told = toldLogprobs(
        {
          rolloutLogprobs: [raw],
          sampledLogprobs: [sampledLogprob],
          topLogprobs: [{ tokenIds, logprobs }],
        },
        { temperature, truncated: false },
        "processed_logprobs",
      );
      const top = told.topLogprobs?.[0]?.logprobs ?? [];
      expect(told.logprobs).toEqual([sampledLogprob]);
      expect(top[k]).toBe(sampledLogprob);
      expect(top).toEqual(top.toSorted((a, b) => b - a));
      // The distance to the likeliest, divided by the temperature.
      expect((top[0] as number) - sampledLogprob).toBeCloseTo(
        ((logprobs[0] as number) - raw) / temperature,
        9,
      );
    }
  }
});
