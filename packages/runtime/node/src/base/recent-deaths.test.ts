import { expect, test } from "vitest";
import { RecentDeaths } from "./recent-deaths.js";

test("deaths older than their age are forgotten with the next one, also by a node whose link never breaks", () => {
  const deaths = new RecentDeaths(60_000, 3);
  for (const atMs of [0, 10_000, 65_000]) deaths.add({ actorId: `at-${atMs}` }, atMs);
  expect(deaths.size).toBe(2);
  for (const atMs of [66_000, 67_000]) deaths.add({ actorId: `at-${atMs}` }, atMs);
  expect(deaths.size).toBe(3);
  expect(deaths.since(126_500).map(({ actorId }) => actorId)).toEqual(["at-67000"]);
});
