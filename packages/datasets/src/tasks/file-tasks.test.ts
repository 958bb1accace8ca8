import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preparedTasks } from "../inspect/prepared-tasks.js";
import { type BadRow, saveTasks } from "../jsonl.js";
import { FileTasks } from "./file-tasks.js";
import { allTasks } from "./task-set.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-tasks-"));
});
afterAll(() => rm(folder, { recursive: true }));

const row = (id: string, document: unknown = "d") => ({
  id,
  question: "q?",
  answers: ["x"],
  document,
  metadata: {},
});

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

async function streamed(path: string) {
  const tasks = [];
  for await (const task of preparedTasks(path)) tasks.push(task);
  return tasks;
}

describe("FileTasks", () => {
  it("opens each task of JSON lines, JSON arrays and tables as a reader from the start would meet it", async () => {
    const documents = Array.from({ length: 40 }, (_, i) => `${i} é😀\u2028 "\\ `.repeat(700 * (i % 4) + 1));
    const rows = documents.map((document, i) => row(`t${i}`, document));
    const lines = rows.map((one) => JSON.stringify(one));
    const table = parquetWriteBuffer({
      columnData: [
        { name: "id", data: rows.map(({ id }) => id), type: "STRING" },
        { name: "question", data: rows.map(({ question }) => question), type: "STRING" },
        { name: "answers", data: rows.map(({ answers }) => answers), type: "JSON" },
        { name: "document", data: documents, type: "STRING" },
      ],
      rowGroupSize: 16,
      pageSize: 2000,
    });
    const paths = [
      await file("lines.jsonl", `\uFEFF${lines.join("\r\n\n")}`),
      await file("array.json", `[${lines.join(",\n ")}]\n`),
      await file("table.parquet", new Uint8Array(table)),
    ];
    for (const path of paths) {
      const expected = await streamed(path);
      expect(expected).toHaveLength(40);
      const tasks = await FileTasks.open(path);
      expect(tasks.count).toBe(40);
      for (const position of [39, 0, 17, 16, 15, 38, 3]) {
        expect(await tasks.open(position)).toEqual(expected[position]);
      }
      expect(await allTasks(tasks)).toEqual(expected);
    }
  });

  it("counts bad rows and ids that are there twice, before any task is opened", async () => {
    const lines = [row("a"), row("b"), { ...row("c"), answers: [] }, row("a", "other"), row("d")];
    const path = await file("bad.jsonl", lines.map((one) => JSON.stringify(one)).join("\n"));
    const badRows: BadRow[] = [];
    const tasks = await FileTasks.open(path, { onBadRow: (bad) => badRows.push(bad) });
    expect(badRows).toMatchObject([
      { line: 3, reason: "empty-field" },
      { line: 4, reason: "duplicate-id", detail: 'id: "a" is already used by task 1' },
    ]);
    expect((await allTasks(tasks)).map(({ id }) => id)).toEqual(["a", "b", "d"]);
  });

  it("puts documents together from places in a corpus, whose paragraphs stay on the disk", async () => {
    const paragraphs = Array.from({ length: 200 }, (_, i) =>
      i % 2 ? `T${i}\nü${i}` : { title: `T${i}`, text: "x" },
    );
    await file("set.corpus.json", JSON.stringify(paragraphs, null, 1));
    const indices = paragraphs.map((_, i) => (i * 77) % 200);
    const path = await file(
      "set.jsonl",
      [
        row("a", { corpus: "set.corpus.json", indices }),
        row("b", { corpus: "set.corpus.json", indices: [3] }),
      ]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    );
    const tasks = await FileTasks.open(path);
    expect(await allTasks(tasks)).toEqual(await streamed(path));
    const outside = await file(
      "out.jsonl",
      JSON.stringify(row("a", { corpus: "set.corpus.json", indices: [200] })),
    );
    await expect(FileTasks.open(outside)).rejects.toThrow("index 200 is outside");
  });

  it("refuses to open a task of a file that was written to meanwhile", async () => {
    const path = await file("changed.jsonl", `${JSON.stringify(row("a"))}\n`);
    const tasks = await FileTasks.open(path);
    await writeFile(path, `${JSON.stringify(row("another"))}\n`);
    await expect(tasks.open(0)).rejects.toThrow("no longer as it was");
    await tasks.close();
  });

  it("holds places, not documents", async () => {
    const document = "A paragraph of which there are many. ".repeat(3_500);
    const path = join(folder, "big.jsonl");
    const count = 300;
    function* tasks() {
      for (let i = 0; i < count; i++) yield { ...row(`t${i}`), document: `${i} ${document}` };
    }
    await saveTasks(path, tasks());
    collectGarbage();
    const before = usedBytes();
    const set = await FileTasks.open(path);
    collectGarbage();
    // All documents together are 39 MB; what other files of this process leave behind comes and goes beside them.
    expect(usedBytes() - before).toBeLessThan(20e6);
    const last = await set.open(count - 1);
    expect(last.document).toBe(`${count - 1} ${document}`);
    await set.close();
  });
});
