import { execFile } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { LineFile } from "./line-file.js";

let path: string;
beforeEach(() => {
  path = join(testFolder(), "lines.jsonl");
});

const lines = async () => (await readFile(path, "utf8")).split("\n");

it("lines that are appended at once are whole, in order and on the disk (LINEFILE-1, LINEFILE-2)", async () => {
  const file = await LineFile.open(path);
  // One write of the system takes 512 KiB, so such a line needs several.
  const long = "x".repeat(2 ** 20);
  await Promise.all([0, 1, 2, 3].map((at) => file.append({ at, long })));
  expect(await lines()).toEqual([...[0, 1, 2, 3].map((at) => JSON.stringify({ at, long })), ""]);
});

it("opening removes a part of a line, however long, and nothing else (LINEFILE-3)", async () => {
  for (const [whole, torn] of [
    ["", ""],
    ["", '{"a'],
    ['{"a":1}\n', ""],
    ['{"a":1}\n', '{"a":2}'],
    ['{"a":1}\n', "x".repeat(2 ** 16 - 1)],
    ['{"a":1}\n', "x".repeat(2 ** 16)],
    ['{"a":1}\n', "x".repeat(3 * 2 ** 16)],
  ] as const) {
    await writeFile(path, whole + torn);
    const file = await LineFile.open(path);
    expect(await readFile(path, "utf8")).toBe(whole);
    await file.append({ b: 1 });
    expect(await readFile(path, "utf8")).toBe(`${whole}{"b":1}\n`);
  }
  await appendFile(path, "x".repeat(2 ** 17));
  await LineFile.open(path);
  expect(await lines()).toEqual(['{"a":1}', '{"b":1}', ""]);
});

it("a line that the disk does not take leaves nothing, and the next one is written (LINEFILE-3)", async () => {
  const program = `
    import { LineFile } from "@palimpsest/std/files";
    const file = await LineFile.open(${JSON.stringify(path)});
    const before = file.append("before");
    // These two are written together while the first one is, which fails, and then each alone.
    const long = file.append("x".repeat(2 ** 17)).catch((reason) => reason.code);
    const short = file.append("short");
    console.log(await long);
    await Promise.all([before, short]);`;
  // A file's limit, in KiB here, is met like the end of a disk: as much is written as there is room for.
  const limited = `ulimit -f 64 && exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", limited, process.execPath, program], {
    cwd: import.meta.dirname,
  });
  expect(stdout.trim()).toBe("EFBIG");
  expect(await lines()).toEqual(['"before"', '"short"', ""]);
});
