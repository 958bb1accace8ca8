import { chmod, mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { quiet } from "../testing/fixture.js";
import { StandingClock } from "../testing/standing-clock.js";
import { FolderCache, type MakeFolder, removeTree } from "./folder-cache.js";

let folder: string;
let clock: StandingClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-folders-"));
  clock = new StandingClock();
});
afterEach(() => removeTree(folder));

const cacheOf = (maxBytes: number) => new FolderCache({ folder, maxBytes, clock, logger: quiet });
const filled =
  (bytes: number): MakeFolder =>
  async (path) => {
    clock.advance(1_000);
    await writeFile(join(path, "content"), "x".repeat(bytes));
  };
const kept = async () => (await readdir(folder)).filter((name) => !name.includes(".")).sort();

test("what is used stays; above the bound the longest unused goes, also one that may not be written to (FOLDERCACHE-3)", async () => {
  const cache = cacheOf(100);
  const first = await cache.use("first", filled(40));
  first.release();
  first.release();
  const second = await cache.use("second", async (path) => {
    await mkdir(join(path, "inner"));
    await filled(40)(join(path, "inner"));
    await chmod(join(path, "inner"), 0o500);
  });
  clock.advance(1_000);
  (await cache.use("first", filled(1))).release();
  second.release();
  // "second" is the longest unused now.
  const third = await cache.use("third", filled(50));
  expect(await kept()).toEqual(["first", "third"]);
  const again = await cache.use("first", filled(1));
  await cache.use("fourth", filled(60));
  expect(await kept()).toEqual(["first", "fourth", "third"]);
  again.release();
  third.release();
  // Both that are not used any more make room for the next.
  await cache.use("fifth", filled(1));
  expect(await kept()).toEqual(["fifth", "fourth"]);
});

test("those that need it at once wait for one making, and a failure is told for a while (FOLDERCACHE-2)", async () => {
  const cache = cacheOf(100);
  let made = 0;
  const make: MakeFolder = async (path) => {
    made += 1;
    await filled(1)(path);
  };
  await Promise.all([cache.use("one", make), cache.use("one", make), cache.use("one", make)]);
  expect(made).toBe(1);
  const fail: MakeFolder = async () => {
    made += 1;
    throw new PalimpsestError("ENVIRONMENT_FAILED", "it does not work");
  };
  await expect(cache.use("two", fail)).rejects.toThrow("it does not work");
  await expect(cache.use("two", fail)).rejects.toThrow("it does not work");
  expect(made).toBe(2);
  clock.advance(20_000);
  await cache.use("two", make);
  expect(made).toBe(3);
  await expect(cache.use("large", filled(101))).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect(await kept()).toEqual(["one", "two"]);
});

test("another process goes on with what is whole, and removes what is not (FOLDERCACHE-1)", async () => {
  await (await cacheOf(100).use("whole", filled(10))).release();
  await mkdir(join(folder, "half"));
  await mkdir(join(folder, "whole.0123.part"));
  const cache = cacheOf(100);
  const never: MakeFolder = async () => {
    throw new Error("it is there");
  };
  const { path } = await cache.use("whole", never);
  expect(await readdir(path)).toEqual(["content"]);
  expect(await readdir(folder)).toEqual(["whole", "whole.bytes"]);
});
