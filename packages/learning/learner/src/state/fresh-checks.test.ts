import { expect, it } from "vitest";
import { createRandom } from "../config/random.js";
import { logprobGate } from "./fresh-checks.js";

const LIMIT_NATS = 0.05;

it("the gate lets pass what chance makes of few tokens, and not other weights", () => {
  // As of a healthy run that sampled one step ahead: 0.0562 nats over 96 tokens, where thousands give 0.03.
  expect(logprobGate(LIMIT_NATS, 96)).toBeGreaterThan(0.0562);
  expect(logprobGate(LIMIT_NATS, 16)).toBeLessThan(0.16);
  expect(logprobGate(LIMIT_NATS, 10_000)).toBeLessThan(0.055);
  expect(logprobGate(LIMIT_NATS, 0)).toBeGreaterThan(0);
});

it("of a thousand updates of a hundred tokens with differences as bfloat16 makes them it stops none, with other weights all", () => {
  const random = createRandom(1);
  const means = (expected: number) =>
    Array.from({ length: 1000 }, () => {
      let sum = 0;
      // Exponential: as in measured runs, a few tokens differ by many times the mean.
      for (let token = 0; token < 100; token++)
        sum -= expected * Math.log(1 - random.below(2 ** 31) / 2 ** 31);
      return sum / 100;
    });
  const gate = logprobGate(LIMIT_NATS, 100);
  expect(means(0.045).filter((mean) => mean > gate)).toEqual([]);
  expect(means(0.3).filter((mean) => mean <= gate)).toEqual([]);
});
