import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks } from "../index.js";
import { TaskFiles } from "./task-files.js";

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

const record = {
  id: "m1",
  content: "Ann lives in Oslo",
  memoryType: "episodic",
  provenance: [],
  metadata: {},
} as const;
const aTask = (id: string, more: object = {}) => ({
  id,
  question: "Where?",
  answers: ["Oslo"],
  document: "",
  metadata: {},
  records: [record],
  probes: [{ question: "Where?", answers: ["Oslo"], heldOut: false }],
  ...more,
});

describe("a file of stores", () => {
  it("holds records once that many tasks begin with, and gives them back as one array", async () => {
    const files = new TaskFiles("task", join(folder, "set.corpus.json"));
    const path = join(folder, "set.jsonl");
    for (const id of ["a", "b"]) await files.add(path, aTask(id, { store: "ann" }));
    await files.add(path, aTask("own", { records: [{ ...record, id: "m2" }] }));
    const written = await files.finish();
    expect(written.map(({ path: each, kind, rows }) => [each, kind, rows])).toEqual([
      [path, "tasks", 3],
      [join(folder, "set.stores.json"), "stores", 1],
    ]);
    const { tasks, badRows } = await loadTasks(path);
    expect(badRows).toEqual([]);
    expect(tasks[0]?.records).toEqual([record]);
    expect(tasks[1]?.records).toBe(tasks[0]?.records);
    expect(tasks[2]?.records?.[0]?.id).toBe("m2");
    expect(tasks[0]).not.toHaveProperty("store");
  });

  it("is an error where it is gone, broken, or has no such store", async () => {
    const path = join(folder, "set.jsonl");
    const row = { ...aTask("a"), records: { stores: "s.json", store: "ann" } };
    writeFileSync(path, JSON.stringify(row));
    await expect(loadTasks(path)).rejects.toThrow(/UNREADABLE_FILE.*s\.json/);
    writeFileSync(join(folder, "s.json"), JSON.stringify({ ann: [{ id: "m1" }] }));
    await expect(loadTasks(path)).rejects.toThrow("is not a file of stores");
    writeFileSync(join(folder, "s.json"), JSON.stringify({ ben: [record] }));
    await expect(loadTasks(path)).rejects.toThrow('no store "ann"');
  });
});
