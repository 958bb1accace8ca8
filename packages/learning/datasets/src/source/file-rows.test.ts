import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { rowBatches } from "./byte-window.js";
import { type FileRow, fileRows } from "./file-rows.js";
import { ArraySplit } from "./json-array.js";

const folder = fileFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function rows(path: string): Promise<FileRow[]> {
  const found: FileRow[] = [];
  for await (const row of fileRows(path)) found.push(row);
  return found;
}

async function elements(text: string, chunkBytes: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const found: string[] = [];
  for await (const { window, rows } of rowBatches(chunks(), new ArraySplit()))
    for (const { from, to, offset } of rows) {
      const element = window.text(from, to);
      found.push(element.trim());
      expect(bytes.subarray(offset, offset + to - from).toString()).toBe(element);
    }
  return found;
}

describe("ArraySplit", () => {
  const value = [{ a: '],[{"\\', b: [1, [2]] }, "ü😀,", 3, null, [], {}, { deep: [{ x: "\\" }] }];

  it("parts an array as JSON.parse does, wherever the chunks are cut", async () => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      for (let chunkBytes = 1; chunkBytes <= 9; chunkBytes++) {
        const parsed = (await elements(` ${text}\n`, chunkBytes)).map((one) => JSON.parse(one) as unknown);
        expect(parsed).toEqual(value);
      }
    }
  });

  it("gives nothing for an empty array", async () => {
    expect(await elements("[ \n ]", 2)).toEqual([]);
  });

  it("throws where the array is cut off or something follows it", async () => {
    await expect(elements('[{"a":1},{"b"', 4)).rejects.toThrow("has no end after element 2");
    await expect(elements("[1] x", 4)).rejects.toThrow('closing bracket is followed by "x"');
  });
});

describe("fileRows", () => {
  it("reads JSON arrays, JSON lines and single objects by what they hold, not by their names", async () => {
    const long = "x".repeat(200_000);
    expect(await rows(file("array.txt", '\uFEFF[{"a":1},\n{"a":2}]'))).toEqual([
      { row: 1, value: { a: 1 } },
      { row: 2, value: { a: 2 } },
    ]);
    expect(await rows(file("lines.txt", `{"a":"${long}"}\n\n{"a":2}\n`))).toEqual([
      { row: 1, value: { a: long } },
      { row: 3, value: { a: 2 } },
    ]);
    expect(await rows(file("pretty.json", '{\n "data": [\n {"a": 1}\n ]\n}\n'))).toEqual([
      { row: 1, value: { data: [{ a: 1 }] } },
    ]);
    expect(await rows(file("one-line.json", '{"data":[1]}'))).toEqual([{ row: 1, value: { data: [1] } }]);
  });

  it("ends a line at its line feed alone: JSON may hold other separators as they are", async () => {
    const odd = "a\u2028b\u2029c\u0085d";
    expect(await rows(file("odd.jsonl", `{"a":"${odd}"}\r\n{"a":2}`))).toEqual([
      { row: 1, value: { a: odd } },
      { row: 2, value: { a: 2 } },
    ]);
  });

  it("names rows that are no JSON, and goes on with the next", async () => {
    const lines = await rows(file("bad.jsonl", '{"a":1\n{"a":2}\nnull\n'));
    expect(lines.map((row) => ("reason" in row ? [row.row, row.reason] : [row.row, row.value]))).toEqual([
      [1, "not-json"],
      [2, { a: 2 }],
      [3, null],
    ]);
    const array = await rows(file("bad.json", '[{"a":1},{a:2},{"a":3}'));
    expect(array.map((row) => ("reason" in row ? row.reason : row.value))).toEqual([
      { a: 1 },
      "not-json",
      "cut-off",
    ]);
  });

  it("reads parquet with nested columns, row group by row group", async () => {
    const texts = Array.from({ length: 10 }, (_, i) => `context ${i}`);
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: "context", data: texts, type: "STRING" },
        { name: "reward_model", data: texts.map((_, i) => ({ ground_truth: [`a${i}`] })), type: "JSON" },
        { name: "index", data: texts.map((_, i) => BigInt(i)), type: "INT64" },
      ],
      rowGroupSize: 4,
    });
    const found = await rows(file("table.bin", new Uint8Array(buffer)));
    expect(found).toHaveLength(10);
    expect(found[9]).toEqual({
      row: 10,
      value: { context: "context 9", reward_model: { ground_truth: ["a9"] }, index: 9 },
    });
  });

  it("says of a file that cannot be read what it should be", async () => {
    await expect(rows(join(folder, "absent"))).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
    await expect(rows(file("broken.parquet", "PAR1 and nothing else"))).rejects.toThrow(
      "give a JSON, JSONL or parquet file",
    );
  });
});

describe("tables of separated values", () => {
  it("are refused by name or by their first lines, and JSON lines are not taken for them", async () => {
    for (const [name, text] of [
      ["a.csv", 'id;question\n1;"why?"\n'],
      ["b.csv", "1\n2\n"],
      ["c.tsv", "true\tfalse\n"],
      ["d.txt", "id,question\n1,why?\n"],
      ["e.data", '"id";"question"\n"1";"why?"\n'],
    ] as const)
      await expect(rows(file(name, text)), name).rejects.toThrow("is CSV; convert it to JSON lines");
    for (const [name, text] of [
      ["f.csv", '{"a": [1,2]}\n{"a": [3,4]}\n'],
      ["g.txt", "[1,2]\n"],
      ["h.txt", '"one, two"\n"three, four"\n'],
      ["i.txt", "1e3\n-2.5\n"],
    ] as const)
      expect((await rows(file(name, text))).length, name).toBeGreaterThan(0);
  });
});
