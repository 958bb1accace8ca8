import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { pageLocations } from "./parquet-pages.js";
import { parquetRows } from "./parquet-rows.js";

const folder = fileFolder();

const rows = 400;
const contexts = Array.from(
  { length: rows },
  (_, i) => `context ${i} ${String((i * 7919) % 1013).repeat(40)}`,
);
const sources = contexts.map((_, i) => (i % 3 === 0 ? "hotpotqa" : "other"));
const answers = contexts.map((_, i) => [`a${i}`, `b${i}`]);

function table(name: string, more: { readonly offsetIndex: boolean; readonly rowGroupSize: number }): string {
  const { offsetIndex, rowGroupSize } = more;
  const path = join(folder, name);
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: "context", data: contexts, type: "STRING", offsetIndex },
      { name: "data_source", data: sources, type: "STRING", offsetIndex },
      { name: "answers", data: answers, type: "JSON", offsetIndex },
    ],
    rowGroupSize,
    pageSize: 2000,
  });
  writeFileSync(path, new Uint8Array(buffer));
  return path;
}

async function read(path: string, batchBytes: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const row of parquetRows(path, { batchBytes })) found.push(row);
  return found;
}

describe("parquetRows", () => {
  const expected = contexts.map((context, i) => ({ context, data_source: sources[i], answers: answers[i] }));

  it.each([
    ["with a page index", true, rows],
    ["without a page index, one row group", false, rows],
    ["without a page index, several row groups", false, 150],
  ])("gives the same rows in large and small parts: %s", async (name, offsetIndex, rowGroupSize) => {
    const path = table(`${name}.parquet`, { offsetIndex, rowGroupSize });
    for (const batchBytes of [1e9, 10_000, 1]) expect(await read(path, batchBytes)).toEqual(expected);
  });

  it("leaves out what is null, within lists of structures too, and keeps the places of lists", async () => {
    const path = join(folder, "nulls.parquet");
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: "id", data: ["a", "b"], type: "STRING" },
        { name: "level", data: [null, "hard"], type: "STRING" },
        {
          name: "facts",
          data: [[{ title: "x", sent_id: null }, null, { title: "y", sent_id: 0 }], null],
          type: "JSON",
        },
      ],
    });
    writeFileSync(path, new Uint8Array(buffer));
    expect(await read(path, 1e9)).toEqual([
      { id: "a", facts: [{ title: "x" }, null, { title: "y", sent_id: 0 }] },
      { id: "b", level: "hard" },
    ]);
    expect((await read(path, 1e9)).map((row) => Object.keys(row as object))).toEqual([
      ["id", "facts"],
      ["id", "level"],
    ]);
  });

  it("finds the pages of flat columns that no index names, end to end", async () => {
    const path = table("pages.parquet", { offsetIndex: false, rowGroupSize: rows });
    const bytes = readFileSync(path);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const metadata = parquetMetadata(buffer);
    const [group] = metadata.row_groups;
    if (group === undefined) throw new Error("the file has no row group");
    expect(group.columns.every((column) => column.offset_index_offset === undefined)).toBe(true);
    const file = {
      byteLength: buffer.byteLength,
      slice: (from: number, to?: number) => buffer.slice(from, to),
    };
    const { context = [] } = await pageLocations(file, metadata, group);
    expect(context.length).toBeGreaterThan(20);
    expect(context[0]?.first_row_index).toBe(0n);
    const column = group.columns[0]?.meta_data;
    const last = context.at(-1);
    const start = column?.dictionary_page_offset ?? column?.data_page_offset ?? 0n;
    expect((last?.offset ?? 0n) + BigInt(last?.compressed_page_size ?? 0)).toBe(
      start + (column?.total_compressed_size ?? 0n),
    );
  });
});
