import fc from "fast-check";
import { expect, test } from "vitest";
import { actorStates } from "../api/cluster.js";
import { orderedActors, shownState } from "./actor-order.js";

const row = fc.record({
  state: fc.constantFrom(...actorStates),
  asked: fc.boolean(),
  endedAtMs: fc.nat(5),
  createdAtMs: fc.nat(5),
});

test("the living come first, then failures, then what was asked to end, each the newest first", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const ordered = orderedActors(rows);
      expect(ordered).toHaveLength(rows.length);
      expect(new Set(ordered)).toEqual(new Set(rows));
      const states = ordered.map(shownState);
      const lastLiving = states.findLastIndex((state) => state !== "dead" && state !== "ended");
      const firstDead = states.findIndex((state) => state === "dead" || state === "ended");
      if (firstDead >= 0) expect(lastLiving).toBeLessThan(firstDead);
      const firstEnded = states.indexOf("ended");
      if (firstEnded >= 0) expect(states.lastIndexOf("dead")).toBeLessThan(firstEnded);
      const dead = ordered.filter((_, at) => states[at] === "dead").map(({ endedAtMs }) => endedAtMs);
      expect(dead).toEqual([...dead].sort((a, b) => b - a));
    }),
  );
});

test("an actor that was asked to end is not shown as a failure, one that restarts is", () => {
  expect(shownState({ state: "dead", asked: true })).toBe("ended");
  expect(shownState({ state: "dead", asked: false })).toBe("dead");
  expect(shownState({ state: "restarting", asked: true })).toBe("restarting");
});
