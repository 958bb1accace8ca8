import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../test/support/temporary-folder.js";
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
    await expect(reading('{"id":"x"}\n')).rejects.toThrow(
      "bad.jsonl:1: is not the first line of a memory file",
    );
    await expect(reading(`${header}{"id":"x"`)).rejects.toThrow("bad.jsonl:2: is not JSON");
    await expect(reading(`${header}{"id":"x"}\n`)).rejects.toThrow(/bad.jsonl:2: .*content/);
  });

  it("are read as touched by people and editors, or refused with the line and what to do", async () => {
    const path = join(folder, "touched.jsonl");
    const header = '{"format":"palimpsest-memory","version":1}';
    const line = (more: object = {}) => JSON.stringify({ ...aRecord("a", "Zürich"), ...more });
    const reading = async (text: string | Buffer) => {
      await writeFile(path, text);
      return (await readSnapshotFile(path)).map(({ content }) => content);
    };
    expect(await reading("")).toEqual([]);
    expect(await reading("\n \n")).toEqual([]);
    expect(await reading(`\ufeff${header}\r\n\r\n${line()}\r\n\n`)).toEqual(["Zürich"]);
    expect(await reading(`\n${header}\n${line({ speaker: null, session: null })}`)).toEqual(["Zürich"]);
    for (const [bad, why] of [
      [line({ mood: "odd" }), "mood"],
      [line({ content: null }), "content"],
      [line().slice(0, 20), "is not JSON"],
      [`${line()}\n${line()}`, 'has the id "a" of line 3'],
      [Buffer.from(line(), "latin1"), "is not UTF-8"],
      ["[]", "record"],
    ] as const) {
      const text = Buffer.concat([Buffer.from(`${header}\n\n`), Buffer.from(bad)]);
      await expect(reading(text)).rejects.toThrow(
        /^\[DAMAGED\] .*touched.jsonl:[34]: .*; correct or remove this line, or start with another file$/,
      );
      if (why !== "record") await expect(reading(text)).rejects.toThrow(why);
    }
  });

  it("keep their rights and their links, and new ones are their owner's alone", async () => {
    const file = join(folder, "private.jsonl");
    await writeSnapshotFile(file, records);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o640);
    await symlink("private.jsonl", join(folder, "link.jsonl"));
    await symlink("link.jsonl", join(folder, "link-of-link.jsonl"));
    await writeSnapshotFile(join(folder, "link-of-link.jsonl"), [...records, aRecord("m3", "New.")]);
    expect((await lstat(join(folder, "link-of-link.jsonl"))).isSymbolicLink()).toBe(true);
    expect(await readSnapshotFile(file)).toHaveLength(3);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    await link(file, join(folder, "name.jsonl"));
    await writeSnapshotFile(file, records);
    expect(await readFile(join(folder, "name.jsonl"), "utf8")).toBe(await readFile(file, "utf8"));
    await symlink("not-yet.jsonl", join(folder, "to-new.jsonl"));
    await writeSnapshotFile(join(folder, "to-new.jsonl"), records);
    expect(await readSnapshotFile(join(folder, "not-yet.jsonl"))).toHaveLength(2);
    // A relative link is read from the real folder that holds it, as the system reads it.
    await mkdir(join(folder, "dotfiles/config"), { recursive: true });
    await symlink("dotfiles/config", join(folder, ".config"));
    await symlink("../memory.jsonl", join(folder, "dotfiles/config/memory.jsonl"));
    await writeSnapshotFile(join(folder, ".config/memory.jsonl"), records);
    expect(await readSnapshotFile(join(folder, "dotfiles/memory.jsonl"))).toHaveLength(2);
    await symlink("round.jsonl", join(folder, "round.jsonl"));
    await expect(writeSnapshotFile(join(folder, "round.jsonl"), records)).rejects.toThrow("in a circle");
  });
});
