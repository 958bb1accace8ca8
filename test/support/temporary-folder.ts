/** Folders for tests, which are removed with what is in them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Creates a folder in a test or in its `beforeEach`. It is removed after the test's `afterEach`. */
export function testFolder(): string {
  const path = created();
  onTestFinished(() => removed(path));
  return path;
}

/** Creates a folder for all tests of a file or of a `describe`, outside of tests and hooks. It is removed after them. */
export function fileFolder(): string {
  const path = created();
  afterAll(() => removed(path));
  return path;
}

const created = () => mkdtempSync(join(tmpdir(), "palimpsest-test-"));
const removed = (path: string) => rmSync(path, { recursive: true, force: true });
