import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.js";

const day = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a time that no timer of Node.js can count passes as any other", () => {
  const rang = vi.fn();
  systemClock.after(60 * day, rang);
  vi.advanceTimersByTime(60 * day - 1);
  expect(rang).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(rang).toHaveBeenCalledOnce();
});

test("infinite time never passes, and what was cancelled never rings", () => {
  const rang = vi.fn();
  const timers = vi.spyOn(globalThis, "setTimeout");
  systemClock.after(Number.POSITIVE_INFINITY, rang);
  systemClock.after(Number.MAX_SAFE_INTEGER, rang);
  const cancel = systemClock.after(40 * day, rang);
  vi.advanceTimersByTime(30 * day);
  cancel();
  vi.advanceTimersByTime(300 * day);
  expect(rang).not.toHaveBeenCalled();
  expect(Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31);
});
