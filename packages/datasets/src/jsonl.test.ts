import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reseededSource, type TaskSource, taskSourceSchema, tasksFromConfig } from "./config.js";
import { type BadRow, loadTasks, saveTasks } from "./jsonl.js";
import { rulerTasks } from "./ruler.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tasks-"));
});
afterAll(() => rm(folder, { recursive: true }));

const row = { id: "a", question: "q?", answers: ["x"], document: "d", metadata: {} };
async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  await writeFile(path, text);
  return path;
}

describe("saveTasks and loadTasks", () => {
  it("give back what was saved, line feeds and rare characters included", async () => {
    const odd: Task = {
      ...row,
      id: "odd",
      document: 'line\nfeed \u2028 😀 \\ "',
      metadata: { a: 1, b: true, c: "d" },
    };
    const tasks = [...rulerTasks({ kind: "mixed", count: 5, sentences: 6 }), odd];
    const path = join(folder, "round.jsonl");
    expect(await saveTasks(path, tasks)).toBe(6);
    expect(await loadTasks(path)).toEqual({ tasks, badRows: [], badRowsByReason: {} });
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(7);
  });

  it("leave nothing behind where making a task fails", async () => {
    function* failing() {
      yield row;
      throw new Error("no more");
    }
    await expect(saveTasks(join(folder, "failed.jsonl"), failing())).rejects.toThrow("no more");
    expect((await readdir(folder)).filter((name) => name.startsWith("failed"))).toEqual([]);
  });

  it("count bad rows by reason and name line and field", async () => {
    const path = await file("bad.jsonl", [
      `\uFEFF${JSON.stringify(row)}`,
      "",
      "{not json",
      "[1]",
      { ...row, id: "b", question: undefined },
      { ...row, id: "c", answers: "x" },
      { ...row, id: "d", answers: [] },
      { ...row, id: "e", answers: [""] },
      { ...row, id: "f", color: "red" },
      row,
      { ...row, id: "g", metadata: undefined },
      { ...row, id: "h", metadata: { deep: {} } },
    ]);
    const { tasks, badRows, badRowsByReason } = await loadTasks(path);
    expect(tasks.map((task) => task.id)).toEqual(["a", "g"]);
    expect(badRows.map(({ line, reason }) => [line, reason])).toEqual([
      [3, "not-json"],
      [4, "not-an-object"],
      [5, "missing-field"],
      [6, "wrong-type"],
      [7, "empty-field"],
      [8, "empty-field"],
      [9, "unknown-field"],
      [10, "duplicate-id"],
      [12, "wrong-type"],
    ]);
    expect(badRowsByReason).toMatchObject({ "empty-field": 2, "wrong-type": 2, "duplicate-id": 1 });
    const details = badRows.map((bad) => bad.detail);
    expect(details[2]).toContain("question");
    expect(details[5]).toContain("answers.0");
    expect(details[6]).toContain("color");
    expect(details[7]).toContain("row 1");
  });

  it("say which file cannot be read, and stop at an abort", async () => {
    await expect(loadTasks(join(folder, "none.jsonl"))).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
    const path = await file("some.jsonl", [row]);
    const reason = new Error("enough");
    await expect(loadTasks(path, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("reseededSource", () => {
  it("gives every source other tasks, or others first, and the same ones for the same seed", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ ...row, id: `r${i}` }));
    const path = await file("reseeded.jsonl", rows);
    await writeFile(join(folder, "prose.txt"), "It rained. They walked on. Nobody spoke. ".repeat(20));
    const sources: readonly TaskSource[] = [
      { source: "ruler", ruler: { count: 30, sentences: 6 } },
      { source: "reverse-two-hop", reverseTwoHop: { count: 30, segments: 5 } },
      { source: "store", store: { count: 30 } },
      { source: "haystack", path: join(folder, "prose.txt"), haystack: { count: 30, lengthTokens: 60 } },
      { source: "jsonl", path },
    ];
    for (const source of sources) {
      const tasks = async (seed: number) =>
        (await tasksFromConfig(reseededSource(taskSourceSchema.parse(source), seed))).map(
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

describe("tasksFromConfig", () => {
  it("makes the generator's tasks", async () => {
    const ruler = { kind: "two-hop", count: 3, sentences: 9, seed: 4, names: 5 } as const;
    expect(await tasksFromConfig({ source: "ruler", ruler })).toEqual(rulerTasks(ruler));
  });

  it("reads a file up to its limit", async () => {
    const path = await file(
      "limit.jsonl",
      ["a", "b", "c"].map((id) => ({ ...row, id })),
    );
    const tasks = await tasksFromConfig({ source: "jsonl", path, limit: 2 });
    expect(tasks.map((task) => task.id)).toEqual(["a", "b"]);
  });

  it("refuses more bad rows than allowed and hands on those that are", async () => {
    const path = await file("allowed.jsonl", [row, "nonsense"]);
    await expect(tasksFromConfig({ source: "jsonl", path })).rejects.toThrow("line 2");
    const seen: BadRow[] = [];
    const tasks = await tasksFromConfig(
      { source: "jsonl", path, maxBadRows: 1 },
      { onBadRow: (bad) => seen.push(bad) },
    );
    expect(tasks).toHaveLength(1);
    expect(seen.map((bad) => bad.line)).toEqual([2]);
    const empty = await file("empty.jsonl", []);
    await expect(tasksFromConfig({ source: "jsonl", path: empty })).rejects.toMatchObject({
      code: "BAD_ROWS",
    });
  });

  it("hides facts in the prose of a file", async () => {
    const path = await file("prose.txt", ["The hall was quiet. Nobody spoke."]);
    const [task] = await tasksFromConfig({ source: "haystack", path, haystack: { lengthTokens: 100 } });
    expect(task?.document).toContain("The hall was quiet.");
    const none = tasksFromConfig({ source: "haystack", path: `${path}.no`, haystack: { lengthTokens: 100 } });
    await expect(none).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
  });

  it("names the field where a setting is wrong", async () => {
    const source = { source: "jsonl", path: "x", limmit: 3 } as unknown as Parameters<
      typeof tasksFromConfig
    >[0];
    await expect(tasksFromConfig(source)).rejects.toThrow("limmit");
  });
});
