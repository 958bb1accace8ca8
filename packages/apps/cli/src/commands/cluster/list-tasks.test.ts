import { expect, test } from "vitest";
import { parseFilter, passing, refuseUnknownKeys } from "../../state/filter.js";
import { stateTables } from "../../state/tables.js";
import { taskFilter } from "./list-tasks.js";
import { countedBy } from "./summary.js";

test("flags and filters that the head knows are asked of it, with the limit; others are left", () => {
  expect(taskFilter({ state: "FAILED", name: "echo", job: "job-1", limit: 5 })).toEqual({
    asked: { states: ["failed"], kinds: [], name: "echo", jobId: "job-1", limit: 5 },
    left: [],
  });
  const filter = parseFilter("state!=failed", parseFilter("pid=7", parseFilter("kind=transfer")));
  expect(taskFilter({ filter })).toEqual({
    asked: { states: [], kinds: ["transfer"] },
    left: filter.slice(1),
  });
  expect(taskFilter({}).asked).toMatchObject({ limit: 100 });
});

test("a state, a key or a form that there is not is refused with those that there are", () => {
  expect(() => taskFilter({ state: "done" })).toThrow(
    '--state: "done" is not one of pending, running, finished, failed, cancelled',
  );
  expect(() => parseFilter("state")).toThrow('"state" is no filter; write KEY=VALUE or KEY!=VALUE');
  expect(() => refuseUnknownKeys(stateTables.nodes, parseFilter("nod=1"))).toThrow(
    '--filter: unknown key "nod"; leave it out, or use one of node_id, hostname',
  );
});

test("rows pass that have the value, or have it not", () => {
  const objects = ["a", "b"].map((objectId, index) => ({
    objectId,
    sizeBytes: index,
    holdingNodeIds: ["node-1"],
    copyNodeIds: [],
    spilledNodeIds: [],
  }));
  const ids = (text: string) =>
    passing(stateTables.objects, objects, parseFilter(text)).map(({ objectId }) => objectId);
  expect(ids("size_bytes=1")).toEqual(["b"]);
  expect(ids("object_id!=b")).toEqual(["a"]);
  expect(ids("held_on=node-1")).toEqual(["a", "b"]);
});

test("rows are counted by columns, the most frequent first", () => {
  const rows = [
    { role: "a", state: "alive", size: 2 },
    { role: "b", state: "alive", size: 3 },
    { role: "b", state: "alive", size: 4 },
  ];
  expect(countedBy(rows, ["role", "state"], "size")).toEqual([
    { keys: ["b", "alive"], count: 2, sum: 7 },
    { keys: ["a", "alive"], count: 1, sum: 2 },
  ]);
});
