import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRandom } from "@palimpsest/std/random";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { preparedTasks } from "../inspect/prepared-tasks.js";
import { type BadRow, saveTasks } from "../jsonl.js";
import type { SourceBadRow } from "../prepare/preparer.js";
import { FileTasks } from "./file-tasks.js";
import { allTasks } from "./task-set.js";

const folder = fileFolder();

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

  it("finds in rows whose documents it leaves out what whoever reads all of each row finds", async () => {
    const random = createRandom("rows");
    const long = (seed: number) => `${seed} é😀 "quoted" \\ \n`.repeat(100 + random.below(100));
    const forms = [
      (at: number) => row(`t${at % 90}`, long(at)),
      (at: number) => ({ ...row(`t${at}`, long(at)), question: long(at) }),
      (at: number) => ({ ...row(`t${at}`, long(at)), answers: [] }),
      (at: number) => ({ ...row(`t${at}`, long(at)), documents: long(at) }),
      (at: number) => row(`${long(7)}${at % 3}`, long(at)),
      (at: number) => row(`t${at}`, { document: long(at) }),
      (at: number) => ({ ...row(`t${at}`), metadata: { context: long(at) } }),
      (at: number) => ({ input: `q${at}?`, context: long(at), outputs: ["x"], index: at % 50 }),
      (at: number) => ({ prompt: long(at), label: "x", metadata: { context: long(at), id: at % 70 } }),
      (at: number) => ({ prompt: "q?", metadata: { context: long(at) } }),
      (at: number) => ({ prompt: [], context: long(at), reward_model: {} }),
    ];
    const breaks = [
      (line: string, at: number) => `${line.slice(0, at)}\t${line.slice(at)}`,
      (line: string, at: number) => `${line.slice(0, at)}\\x${line.slice(at)}`,
      (line: string, at: number) => `${line.slice(0, at)}"${line.slice(at)}`,
      (line: string, at: number) => line.slice(0, at),
      (line: string, at: number) =>
        line.replace('"document":', `"document":5,${" ".repeat(at % 9)}"document" : `),
      (line: string) => `${line},`,
      (line: string) => line,
    ];
    const lines = Array.from({ length: 600 }, (_, at) => {
      const line = JSON.stringify(random.pick(forms)(at), null, at % 2);
      return random.pick(breaks)(line.replaceAll("\n", " "), random.below(line.length));
    });
    const path = await file("broken.jsonl", `\uFEFF${lines.join("\r\n")}`);
    const [expected, found]: [BadRow[], BadRow[]] = [[], []];
    const tasks = [];
    const onBadRow = ({ row: line, reason, detail }: SourceBadRow) => expected.push({ line, reason, detail });
    for await (const task of preparedTasks(path, { onBadRow })) tasks.push(task);
    const set = await FileTasks.open(path, { onBadRow: (bad) => found.push(bad) });
    // A duplicate is said to be of a row by one and of a task by the other.
    const said = ({ line, reason, detail }: BadRow) =>
      `${line} ${reason} ${reason === "duplicate-id" ? "" : detail}`;
    expect(found.map(said)).toEqual(expected.map(said));
    expect(new Set(found.map(({ reason }) => reason)).size).toBeGreaterThan(5);
    expect(tasks.length).toBeGreaterThan(50);
    expect(await allTasks(set)).toEqual(tasks);
  });

  it("reads rows that are longer than what is read at once", async () => {
    const document = 'Words "in" lines.\n'.repeat(2 ** 18);
    const rows = ["a", "b", "c"].map((id) => row(id, `${id} ${document}`));
    for (const [name, content] of [
      ["huge.jsonl", rows.map((one) => JSON.stringify(one)).join("\n")],
      ["huge.json", JSON.stringify(rows, null, 1)],
    ] as const) {
      const set = await FileTasks.open(await file(name, content));
      expect((await allTasks(set)).map((task) => task.document)).toEqual(rows.map((one) => one.document));
    }
  });

  it("refuses to open a task of a file that was written to meanwhile", async () => {
    const path = await file("changed.jsonl", `${JSON.stringify(row("a"))}\n`);
    const tasks = await FileTasks.open(path);
    await writeFile(path, `${JSON.stringify(row("another"))}\n`);
    await expect(tasks.open(0)).rejects.toThrow("has changed since it was opened");
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
