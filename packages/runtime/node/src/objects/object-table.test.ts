import { expect, test } from "vitest";
import { StandingClock } from "../testing/standing-clock.js";
import { ObjectTable } from "./object-table.js";

test("what can be spilled is what lies in memory and is held: a look for room costs nothing for what lies on disk", () => {
  const table = new ObjectTable(new StandingClock(), () => undefined);
  const [first, second, third] = ["a", "b", "c"].map((objectId) =>
    table.enter({ objectId, sizeBytes: 1, path: "" }, objectId === "c" ? "" : "job"),
  );
  if (!first || !second || !third) throw new Error("no entry");
  const kept = () => [...table.kept()].map(({ objectId }) => objectId);
  expect(kept()).toEqual(["a", "b"]);
  table.reside(first, false);
  expect(kept()).toEqual(["b"]);
  table.hold(first, "other");
  expect(kept()).toEqual(["b"]);
  table.reside(first, true);
  expect(kept()).toEqual(["b", "a"]);
  table.use(second);
  expect(kept()).toEqual(["a", "b"]);
  table.reside(third, false);
  table.reside(third, true);
  expect(kept()).toEqual(["a", "b"]);
  table.release("job");
  expect(kept()).toEqual(["a"]);
});
