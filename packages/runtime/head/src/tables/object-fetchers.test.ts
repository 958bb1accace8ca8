import { systemClock } from "@palimpsest/std";
import { expect, it } from "vitest";
import { ObjectFetchers } from "./object-fetchers.js";

function fetchers(limit?: number) {
  const time = { now: 0 };
  const clock = { ...systemClock, monotonicMs: () => time.now };
  return { time, fetchers: new ObjectFetchers(clock, limit) };
}

it("names those that began before, also to one that asks again (FETCHERS-1)", () => {
  const { fetchers: some } = fetchers();
  expect(some.ask("x", "a")).toEqual([]);
  expect(some.ask("x", "b")).toEqual(["a"]);
  expect(some.ask("x", "a")).toEqual([]);
  expect(some.ask("x", "c")).toEqual(["a", "b"]);
  expect(some.ask("y", "c")).toEqual([]);
});

it("forgets those that have it, that are dead and that were silent for long (FETCHERS-2)", () => {
  const { fetchers: some, time } = fetchers();
  for (const node of ["a", "b", "c"]) some.ask("x", node);
  some.ended("x", "a");
  expect(some.ask("x", "d")).toEqual(["b", "c"]);
  some.nodeDied("c");
  expect(some.ask("x", "d")).toEqual(["b"]);
  time.now += 600_001;
  expect(some.ask("x", "e")).toEqual([]);
  expect(some.size).toBe(1);
});

it("remembers a bounded number (FETCHERS-2)", () => {
  const { fetchers: some } = fetchers(3);
  for (const object of ["x", "y", "z", "w"]) some.ask(object, "a");
  expect(some.size).toBe(3);
  expect(some.ask("x", "b")).toEqual([]);
  expect(some.ask("w", "b")).toEqual(["a"]);
});
