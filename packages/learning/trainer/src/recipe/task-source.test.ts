import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { allTasks, type BadRow } from "@palimpsest/datasets";
import { rulerTasks } from "@palimpsest/small-world";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { openTasks, reseededSource, type TaskSource, taskSourceSchema } from "./task-source.js";

const folder = fileFolder();

const row = { id: "a", question: "q?", answers: ["x"], document: "d", metadata: {} };
async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  await writeFile(path, text);
  return path;
}
const tasksOf = async (...from: Parameters<typeof openTasks>) => await allTasks(await openTasks(...from));

describe("reseededSource", () => {
  it("gives every source other tasks, or others first, and the same ones for the same seed", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ ...row, id: `r${i}` }));
    const path = await file("reseeded.jsonl", rows);
    await writeFile(join(folder, "prose.txt"), "It rained. They walked on. Nobody spoke. ".repeat(20));
    const sources: readonly TaskSource[] = [
      { source: "ruler", ruler: { count: 30, sentences: 6 } },
      { source: "reverse-two-hop", reverseTwoHop: { count: 30, segments: 5 } },
      { source: "store", store: { count: 30 } },
      { source: "stream", stream: { count: 30, turns: 6 } },
      { source: "haystack", path: join(folder, "prose.txt"), haystack: { count: 30, lengthTokens: 60 } },
      { source: "jsonl", path },
    ];
    for (const source of sources) {
      const tasks = async (seed: number) =>
        (await tasksOf(reseededSource(taskSourceSchema.parse(source), seed))).map(
          ({ id, question, document }) => (source.source === "jsonl" ? id : `${question} ${document}`),
        );
      const [first, again, other] = [await tasks(1), await tasks(1), await tasks(2)];
      expect(again).toEqual(first);
      expect(other).not.toEqual(first);
      if (source.source === "jsonl") expect([...first].sort()).toEqual(rows.map(({ id }) => id).sort());
      else expect(first.filter((text) => other.includes(text)).length).toBeLessThan(15);
    }
  });
});

describe("openTasks", () => {
  it("makes the generator's tasks", async () => {
    const ruler = { kind: "two-hop", count: 3, sentences: 9, seed: 4, names: 5 } as const;
    expect(await tasksOf({ source: "ruler", ruler })).toEqual(rulerTasks(ruler));
  });

  it("reads a file up to its limit", async () => {
    const path = await file(
      "limit.jsonl",
      ["a", "b", "c"].map((id) => ({ ...row, id })),
    );
    const tasks = await tasksOf({ source: "jsonl", path, limit: 2 });
    expect(tasks.map((task) => task.id)).toEqual(["a", "b"]);
  });

  it("refuses more bad rows than allowed and hands on those that are", async () => {
    const path = await file("allowed.jsonl", [row, "nonsense"]);
    await expect(tasksOf({ source: "jsonl", path })).rejects.toThrow("line 2");
    const seen: BadRow[] = [];
    const tasks = await tasksOf(
      { source: "jsonl", path, maxBadRows: 1 },
      { onBadRow: (bad) => seen.push(bad) },
    );
    expect(tasks).toHaveLength(1);
    expect(seen.map((bad) => bad.line)).toEqual([2]);
    const empty = await file("empty.jsonl", []);
    await expect(tasksOf({ source: "jsonl", path: empty })).rejects.toMatchObject({
      code: "BAD_ROWS",
    });
  });

  it("hides facts in the prose of a file", async () => {
    const path = await file("prose.txt", ["The hall was quiet. Nobody spoke."]);
    const [task] = await tasksOf({ source: "haystack", path, haystack: { lengthTokens: 100 } });
    expect(task?.document).toContain("The hall was quiet.");
    const none = tasksOf({ source: "haystack", path: `${path}.no`, haystack: { lengthTokens: 100 } });
    await expect(none).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
  });

  it("names the field where a setting is wrong", async () => {
    const source = { source: "jsonl", path: "x", limmit: 3 } as unknown as Parameters<typeof openTasks>[0];
    await expect(tasksOf(source)).rejects.toThrow("limmit");
  });
});
