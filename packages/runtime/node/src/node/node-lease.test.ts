import { expect, test } from "vitest";
import { StandingClock } from "../testing/standing-clock.js";
import { NodeLease } from "./node-lease.js";

function lease() {
  const clock = new StandingClock();
  let expired = 0;
  const made = new NodeLease(clock, () => {
    expired++;
  });
  return { clock, lease: made, expired: () => expired };
}

test("the lease counts from when the heartbeat was sent, not from when its answer came (NODELEASE-1)", () => {
  const { clock, lease: own, expired } = lease();
  const sentAtMs = clock.monotonicMs();
  // The answer took 700 of the 1000 ms that the head grants from the same moment or later.
  clock.advance(700);
  own.renew(sentAtMs, 1_000);
  clock.advance(299);
  expect(expired()).toBe(0);
  clock.advance(1);
  expect(expired()).toBe(1);
});

test("an answer that was overtaken by a later one shortens nothing (NODELEASE-1)", () => {
  const { clock, lease: own, expired } = lease();
  const sentAtMs = clock.monotonicMs();
  own.renew(sentAtMs + 500, 1_000);
  own.renew(sentAtMs, 1_000);
  clock.advance(1_499);
  expect(expired()).toBe(0);
  clock.advance(1);
  expect(expired()).toBe(1);
});

test("its end is told once for each time that it runs out, and never before the first renewal (NODELEASE-2)", () => {
  const { clock, lease: own, expired } = lease();
  clock.advance(1_000_000);
  expect(expired()).toBe(0);
  for (const times of [1, 2]) {
    own.renew(clock.monotonicMs(), 1_000);
    clock.advance(1_000);
    clock.advance(1_000_000);
    expect(expired()).toBe(times);
  }
  own.renew(clock.monotonicMs(), 1_000);
  own.close();
  clock.advance(1_000_000);
  expect(expired()).toBe(2);
});
