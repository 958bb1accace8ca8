import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../test/support/temporary-folder.js";
import { loadTasks, saveTasks } from "./jsonl.js";

const folder = fileFolder();

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
    const tasks = [...Array.from({ length: 5 }, (_, i): Task => ({ ...row, id: `r${i}` })), odd];
    const path = join(folder, "round.jsonl");
    expect(await saveTasks(path, tasks)).toBe(6);
    expect(await loadTasks(path)).toEqual({ tasks, badRows: [] });
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

  it("name line, reason and field of bad rows", async () => {
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
    const { tasks, badRows } = await loadTasks(path);
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
