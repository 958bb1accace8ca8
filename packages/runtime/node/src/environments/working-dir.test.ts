import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as proto from "@palimpsest/wire/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { unpackWorkingDir } from "./working-dir.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function unpack(...files: proto.WorkingFile.$Properties[]): Promise<string> {
  const packed = join(folder, "packed");
  await writeFile(packed, gzipSync(proto.WorkingDirectory.encode({ files }).finish()));
  const target = join(folder, "target");
  await unpackWorkingDir(packed, target);
  return target;
}

describe("unpackWorkingDir", () => {
  test("makes the folder anew, with its programs executable", async () => {
    await unpack({ path: "old", data: Buffer.from("x") });
    const target = await unpack(
      { path: "a/run.sh", data: Buffer.from("echo"), executable: true },
      { path: "b.txt", data: Buffer.from("text") },
    );
    expect(existsSync(join(target, "old"))).toBe(false);
    expect(await readFile(join(target, "b.txt"), "utf8")).toBe("text");
    expect((await stat(join(target, "a/run.sh"))).mode & 0o777).toBe(0o700);
  });

  test.each(["../up", "/etc/passwd", "a/../../up", "a//b", ".", "", "a\\..\\b", "a\0b"])(
    "refuses the path %j before it writes anything",
    async (path) => {
      const files = [
        { path: "good", data: Buffer.from("x") },
        { path, data: Buffer.from("x") },
      ];
      await expect(unpack(...files)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      expect(existsSync(join(folder, "target"))).toBe(false);
      expect(existsSync(join(folder, "up"))).toBe(false);
    },
  );

  test("refuses bytes that are no packed folder, or that unpack to too much", async () => {
    const packed = join(folder, "packed");
    await writeFile(packed, "text");
    await expect(unpackWorkingDir(packed, join(folder, "target"))).rejects.toThrow("cannot be unpacked");
    await writeFile(packed, gzipSync(Buffer.alloc(400 * 1024 * 1024), { level: 1 }));
    await expect(unpackWorkingDir(packed, join(folder, "target"))).rejects.toThrow("cannot be unpacked");
  });
});
