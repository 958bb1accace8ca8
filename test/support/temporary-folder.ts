/** Folders for tests, which are removed with what is in them. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Creates a folder in a test or in its `beforeEach`. It is removed after the test's `afterEach`. */
export function testFolder(): string {
  const path = created();
  onTestFinished(() => removeFolder(path));
  return path;
}

/** Creates a folder for all tests of a file or of a `describe`, outside of tests and hooks. It is removed after them. */
export function fileFolder(): string {
  const path = created();
  afterAll(() => removeFolder(path));
  return path;
}

const created = () => mkdtempSync(join(tmpdir(), "palimpsest-test-"));
/** Removes a folder with what is in it. */
export function removeFolder(path: string): void {
  for (let left = 100; ; left--) {
    try {
      rmSync(path, { recursive: true, force: true });
      break;
    } catch (error) {
      // A program that is ending may still write there, as shells do their history.
      const { code } = error as NodeJS.ErrnoException;
      if (left === 0 || code !== "ENOTEMPTY") throw error;
    }
  }
  // After the socket of a killed head, Node.js would not follow links to modules (PROCESSLOCK-3).
  statSync("/");
}
