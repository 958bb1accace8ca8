import { renameSync, truncateSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeLong, markReference, objectReference, storedValue, wholeOf } from "@palimpsest/wire";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { readFileValue, writeFileValue } from "./value-files.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const unbound = () => undefined;

test("a file that is freed and cut while it is read is the object's no more, whatever its bytes say (FILEVALUE-1)", async () => {
  const path = join(folder, "value");
  const reference = new (class Reference {})();
  markReference(reference, objectReference("ab".repeat(20), 8, ""));
  const whole = wholeOf(storedValue(encodeLong([reference, new Float64Array(300_000).fill(7)])));
  await writeFile(path, whole);
  const bind = () => {
    // Its reference is read before its array. Other bytes come into the file under another name, as when another value is
    // written there.
    renameSync(path, join(folder, "next"));
    truncateSync(join(folder, "next"), 1_000);
  };
  expect((await readFileValue(path, whole.byteLength, { bind, isMappable: false })) === undefined).toBe(true);
});

test("values of every size are written whole: at once up to 1 MiB, else in slices, and not after the signal", async () => {
  const path = join(folder, "value");
  for (const sizeBytes of [0, 1, 100_000, 1024 * 1024 - 7, 20 * 1024 * 1024]) {
    await writeFile(path, "");
    const body = Buffer.alloc(sizeBytes).map((_byte, at) => at % 251);
    const pieces = [Buffer.from("before"), new Uint8Array(), body, Buffer.from("after")];
    await writeFileValue(path, pieces);
    expect(Buffer.concat(pieces).equals(await readFile(path)), `${sizeBytes} bytes`).toBe(true);
  }
  await expect(writeFileValue(path, [Buffer.from("late")], AbortSignal.abort())).rejects.toThrow();
  await expect(writeFileValue(join(folder, "none"), [Buffer.from("x")])).rejects.toThrow("ENOENT");
});

test("a file that is the object's and does not say so is an error", async () => {
  const path = join(folder, "value");
  await writeFile(path, Buffer.alloc(1_000, 0xff));
  await expect(readFileValue(path, 1_000, { bind: unbound, isMappable: false })).rejects.toMatchObject({
    code: "CODEC",
  });
});
