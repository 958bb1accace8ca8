import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RowChoice } from "./row-choice.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Functions of 16, 32 and 64 rows, whose calls take as many milliseconds as they have rows, and the first one a second more. */
function choice(compiles: boolean) {
  const stats = new Map<string, { calls: number; firstCallMs: number }>();
  const rows = new RowChoice({ rowCounts: [16, 32, 64], compiles, statsOf: (name) => stats.get(name) });
  const nameOf = (count: number) => `decode_${count}`;
  const run = (needed: number) =>
    rows.run(needed, nameOf, (count) => {
      const before = stats.get(nameOf(count));
      const ms = count + (before === undefined ? 1000 : 0);
      vi.advanceTimersByTime(ms);
      stats.set(nameOf(count), { calls: (before?.calls ?? 0) + 1, firstCallMs: before?.firstCallMs ?? ms });
      return count;
    });
  return { run, make: (count: number) => stats.set(nameOf(count), { calls: 1, firstCallMs: 1000 }) };
}

it("takes the fewest rows that fit where nothing is compiled", () => {
  const { run } = choice(false);
  expect([1, 16, 17, 33, 64].map(run)).toEqual([16, 16, 32, 64, 64]);
});

it("takes what is compiled, and compiles fewer rows once larger calls have cost more", () => {
  const { run, make } = choice(true);
  expect(run(10)).toBe(64);
  make(32);
  expect([run(10), run(40)]).toEqual([32, 64]);
  // Three compilations of 1.06 seconds are 3.2 seconds of calls that took more rows than they needed.
  const calls = Array.from({ length: 100 }, () => run(10));
  const first = calls.indexOf(16);
  expect(calls.slice(0, first)).toEqual(Array.from({ length: first }, () => 32));
  expect(first).toBeGreaterThan(60);
  expect(calls.slice(first).every((count) => count === 16)).toBe(true);
});
