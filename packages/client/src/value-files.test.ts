import { renameSync, truncateSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLong, markReference, objectReference, storedValue, wholeOf } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readFileValue } from "./value-files.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-value-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
  expect((await readFileValue(path, whole.byteLength, bind, undefined)) === undefined).toBe(true);
});

test("a file that is the object's and does not say so is an error", async () => {
  const path = join(folder, "value");
  await writeFile(path, Buffer.alloc(1_000, 0xff));
  await expect(readFileValue(path, 1_000, unbound, undefined)).rejects.toMatchObject({ code: "CODEC" });
});
