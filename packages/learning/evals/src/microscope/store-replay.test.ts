import { expect, it } from "vitest";
import { replayStore } from "./store-replay.js";

const call = (name: string, args: object, result?: string) => ({
  step: 0,
  name,
  arguments: JSON.stringify(args),
  ...(result === undefined ? {} : { result }),
});

it("knows the store before and after each call: what was read, created, changed, merged, split and deleted", () => {
  const replayed = replayStore([
    call(
      "search_memory",
      { query: "figs" },
      "2 memories:\n[m1] (score 0.93) tom likes figs\n[m2] (score 0.20) ann sings",
    ),
    call("manage_memory", { operation: "create", content: "rosa paints" }, "Created [m3]."),
    call(
      "manage_memory",
      { operation: "update", memory_id: "m1", content: "tom likes dates" },
      "Updated [m1].",
    ),
    call(
      "manage_memory",
      { operation: "update", memory_id: "m9", content: "x" },
      'Error: no memory has the id "m9".',
    ),
    call(
      "merge_memory",
      { memory_ids: ["m1", "m3"] },
      "Merged m1, m3 into [m4] tom likes dates. rosa paints.",
    ),
    call("split_memory", { memory_id: "m4" }, "Split m4 into:\n[m5] tom likes dates.\n[m6] rosa paints."),
    call("delete_memory", { memory_id: "m7" }, "Deleted [m7]."),
    call("delete_memory", { memory_id: "m2" }),
  ]);
  expect(replayed.map(({ changes }) => changes.map(({ id, before, after }) => [id, before, after]))).toEqual([
    [],
    [["m3", undefined, "rosa paints"]],
    [["m1", "tom likes figs", "tom likes dates"]],
    [],
    [
      ["m1", "tom likes dates", undefined],
      ["m3", "rosa paints", undefined],
      ["m4", undefined, "tom likes dates. rosa paints."],
    ],
    [
      ["m4", "tom likes dates. rosa paints.", undefined],
      ["m5", undefined, "tom likes dates."],
      ["m6", undefined, "rosa paints."],
    ],
    [["m7", undefined, undefined]],
    [],
  ]);
  expect(replayed[6]?.changes[0]?.known).toBe(false);
  expect([...(replayed[1]?.before ?? [])]).toEqual([
    ["m1", "tom likes figs"],
    ["m2", "ann sings"],
  ]);
  expect([...(replayed.at(-1)?.after.keys() ?? [])].sort()).toEqual(["m2", "m5", "m6"]);
});

it("reads compact answers, too", () => {
  const [made, merged] = replayStore([
    call("manage_memory", { operation: "create", content: "a" }, "mem-1"),
    call("merge_memory", { memory_ids: ["mem-1", "mem-2"] }, "mem-3 a and b"),
  ]);
  expect(made?.after.get("mem-1")).toBe("a");
  expect([...(merged?.after ?? [])]).toEqual([["mem-3", "a and b"]]);
});
