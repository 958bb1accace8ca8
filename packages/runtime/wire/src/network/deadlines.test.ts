import type { Clock } from "@palimpsest/std";
import { expect, it } from "vitest";
import { Deadlines } from "./deadlines.js";

/** Time that a test moves. */
class Hand implements Clock {
  nowMs = 0;
  readonly timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  now = () => this.nowMs;
  monotonicMs = () => this.nowMs;

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  moveTo(nowMs: number): void {
    this.nowMs = nowMs;
    for (const timer of [...this.timers]) if (timer.atMs <= nowMs && this.timers.delete(timer)) timer.run();
  }
}

function recorder() {
  const expired: string[] = [];
  const named = (name: string, then?: () => void) => ({
    expire() {
      expired.push(name);
      then?.();
    },
  });
  return { expired, named };
}

it("DEADLINES-1 and 2: each runs out once, at its time, under one timer a duration; without one there is none", () => {
  const clock = new Hand();
  const deadlines = new Deadlines(clock);
  const { expired, named } = recorder();
  deadlines.add(named("a"), 100);
  clock.moveTo(10);
  const b = deadlines.add(named("b"), 100);
  deadlines.add(named("c"), 100);
  deadlines.add(named("soon"), 20);
  expect(clock.timers.size).toBe(2);
  clock.moveTo(30);
  expect(expired).toEqual(["soon"]);
  deadlines.remove(b);
  deadlines.remove(b);
  clock.moveTo(100);
  expect(expired).toEqual(["soon", "a"]);
  expect(clock.timers.size).toBe(1);
  clock.moveTo(110);
  expect(expired).toEqual(["soon", "a", "c"]);
  expect(clock.timers.size).toBe(0);
});

it("DEADLINES-1: what is removed or added while another runs out is taken into account", () => {
  const clock = new Hand();
  const deadlines = new Deadlines(clock);
  const { expired, named } = recorder();
  const first = named("first", () => {
    deadlines.remove(second);
    deadlines.add(named("later"), 100);
  });
  deadlines.add(first, 100);
  const second = deadlines.add(named("second"), 100);
  clock.moveTo(100);
  expect(expired).toEqual(["first"]);
  clock.moveTo(199);
  expect(expired).toEqual(["first"]);
  clock.moveTo(200);
  expect(expired).toEqual(["first", "later"]);
  expect(clock.timers.size).toBe(0);
});

it("DEADLINES-2: one that throws keeps the others' timer", () => {
  const clock = new Hand();
  const deadlines = new Deadlines(clock);
  const { expired, named } = recorder();
  const throws = named("throws", () => {
    throw new Error("no");
  });
  deadlines.add(throws, 100);
  deadlines.add(named("next"), 100);
  expect(() => clock.moveTo(100)).toThrow("no");
  clock.moveTo(101);
  expect(expired).toEqual(["throws", "next"]);
});
