import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const { failuresIn } = (await import(join(root, "scripts/failures.mjs"))) as {
  failuresIn: (name: string, report: object | undefined, status: number | null) => string[];
};

const file = (path: string, status: "passed" | "failed", tests: readonly string[], message = "") => ({
  name: join(root, path),
  status,
  message,
  assertionResults: tests.map((title) => ({
    title: title.replace(/^!/, ""),
    ancestorTitles: ["", "a group"],
    status: title.startsWith("!") ? "failed" : "passed",
  })),
});

test("the end of a run names every test that failed, and every file that failed without one", () => {
  const report = {
    testResults: [
      file("test/a.test.ts", "failed", ["holds", "!breaks", "!breaks too"]),
      file("test/b.test.ts", "passed", ["holds"]),
      file("test/c.test.ts", "failed", [], "Cannot find module\nRequire stack"),
      file("test/d.test.ts", "failed", ["holds"], "ENOTEMPTY in afterAll"),
    ],
  };
  expect(failuresIn("processes", report, 1)).toEqual([
    "test/a.test.ts > a group > breaks",
    "test/a.test.ts > a group > breaks too",
    "test/c.test.ts: Cannot find module",
    "test/d.test.ts: ENOTEMPTY in afterAll",
  ]);
});

test("a run that fails outside of its tests counts as one failure, and one that holds has none", () => {
  const held = { testResults: [file("test/b.test.ts", "passed", ["holds"])] };
  expect(failuresIn("processes", held, 1)).toEqual([
    'the run "processes" ended with 1 outside of its tests: its output says why',
  ]);
  expect(failuresIn("computing", undefined, null)).toEqual([expect.stringContaining("with a signal")]);
  expect(failuresIn("processes", held, 0)).toEqual([]);
});
