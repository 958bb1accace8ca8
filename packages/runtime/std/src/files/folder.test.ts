import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { systemFailure } from "../input/index.js";
import { makeFolder } from "./index.js";

const thrown = (path: string): unknown => {
  try {
    makeFolder(path);
  } catch (reason) {
    return reason;
  }
  return undefined;
};

it("creates what is missing above, with its mode, and leaves what exists", () => {
  const home = testFolder();
  const folder = join(home, "a", "b", "c");
  makeFolder(folder, 0o700);
  expect([statSync(folder).mode & 0o777, statSync(join(home, "a")).mode & 0o777]).toEqual([0o700, 0o700]);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  symlinkSync(folder, join(home, "link"));
  makeFolder(join(home, "link"));
  makeFolder(join(home, "link", "d"));
  expect(existsSync(join(folder, "d"))).toBe(true);
  makeFolder("/");
});

it("refuses a path that is a file, or leads through one", () => {
  const home = testFolder();
  writeFileSync(join(home, "file"), "");
  for (const path of [join(home, "file"), join(home, "file", "x", "y")])
    expect(systemFailure(thrown(path))).toMatchObject({ code: "ENOTDIR" });
  expect(systemFailure(thrown(join(home, "x".repeat(300))))).toMatchObject({ code: "ENAMETOOLONG" });
});

it.skipIf(!existsSync("/proc/self"))(
  "ends where a file system refuses folders as missing, as /proc does",
  () => {
    for (const path of ["/proc/x", "/proc/self/x/y"])
      expect(systemFailure(thrown(path))).toMatchObject({
        code: "EROFS",
        remedy: "name a path on another one",
      });
  },
);
