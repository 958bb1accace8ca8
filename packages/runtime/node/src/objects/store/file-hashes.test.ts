import { randomBytes } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { FileHashes } from "./file-hashes.js";

let folder: string;
let hashes: FileHashes;

beforeEach(() => {
  folder = testFolder();
  hashes = new FileHashes();
});

afterEach(() => hashes.close());

test("files are hashed at once, and a file as far as it is written", async () => {
  const contents = [1, 2, 3, 4, 5].map(() => randomBytes(700_000));
  const digests = await Promise.all(
    contents.map(async (bytes, index) => {
      const path = join(folder, `${index}`);
      await writeFile(path, bytes.subarray(0, 300_000));
      const hash = hashes.open(path);
      hash.written(300_000);
      await appendFile(path, bytes.subarray(300_000));
      return await hash.digest(bytes.byteLength);
    }),
  );
  expect(digests).toEqual(contents.map((bytes) => sha256Of(bytes)));
});

test("a file that cannot be read, and a thread that ends, fail the digest (FILEHASH-1)", async () => {
  await expect(hashes.of(join(folder, "none"), 1)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const path = join(folder, "short");
  await writeFile(path, "short");
  await expect(hashes.of(path, 6)).rejects.toThrow("the file ends at byte 5 of 6");
  // Enough that it is not done when its thread is ended.
  const large = join(folder, "large");
  await writeFile(large, new Uint8Array(64 * 1024 * 1024));
  const digest = hashes.of(large, 64 * 1024 * 1024);
  const [outcome] = await Promise.allSettled([digest, hashes.close()]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
});
