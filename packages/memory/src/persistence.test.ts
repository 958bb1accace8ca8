import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../test/support/temporary-folder.js";
import { readSnapshotFile, writeSnapshotFile } from "./index.js";
import { aRecord, manyRecords } from "./records.fixture.js";

const records = [
  aRecord("m1", 'A line\nwith "quotes" and ☃.', { speaker: "Anna", metadata: { sure: true, count: 2 } }),
  aRecord("m2", "Another.", { dialogueTime: "2023-05-08T13:56", provenance: ["D1:3"], source: "event" }),
];

describe("snapshot files", () => {
  const folder = fileFolder();

  it("give back the records that were written, in a new folder, and leave nothing else", async () => {
    const path = join(folder, "new", "store.jsonl");
    await writeSnapshotFile(path, records);
    await writeSnapshotFile(path, [...records, ...manyRecords(9000)]);
    expect(await readSnapshotFile(path)).toEqual([...records, ...manyRecords(9000)]);
    expect(await readdir(join(folder, "new"))).toEqual(["store.jsonl"]);
  });

  it("stay as they were when the writing fails", async () => {
    const path = join(folder, "kept.jsonl");
    await writeSnapshotFile(path, records);
    const failing = function* () {
      yield* records;
      throw new Error("no more");
    };
    await expect(writeSnapshotFile(path, failing())).rejects.toThrow("no more");
    expect(await readSnapshotFile(path)).toEqual(records);
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("say where they are damaged", async () => {
    const path = join(folder, "bad.jsonl");
    const header = '{"format":"palimpsest-memory","version":1}\n';
    const reading = async (text: string) => {
      await writeFile(path, text);
      return await readSnapshotFile(path);
    };
    await expect(readSnapshotFile(join(folder, "none"))).rejects.toThrow("NOT_FOUND");
    await expect(reading("")).rejects.toThrow("is empty");
    await expect(reading('{"id":"x"}\n')).rejects.toThrow("bad.jsonl:1: is not the header");
    await expect(reading(`${header}{"id":"x"`)).rejects.toThrow("bad.jsonl:2: is not JSON");
    await expect(reading(`${header}{"id":"x"}\n`)).rejects.toThrow(/bad.jsonl:2: .*content/);
  });
});
