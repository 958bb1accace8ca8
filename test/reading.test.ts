/** Tests that docs/reading.md names files that exist, and that they have no more lines than it says. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const page = readFileSync(new URL("../docs/reading.md", import.meta.url), "utf8");
const named = [...page.matchAll(/^\d+\. `([^`]+)`/gm)].map((match) => match[1] ?? "");

/** The lines that say something: without comments, imports and empty lines. */
function statementLines(path: string): number {
  const code = readFileSync(new URL(`../${path}`, import.meta.url), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^import [^;]*;$/gm, "");
  return code.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

it("names 25 files that exist, of about 2,000 lines together", () => {
  expect(new Set(named).size).toBe(25);
  const lines = named.map(statementLines).reduce((sum, count) => sum + count, 0);
  expect(lines).toBeGreaterThan(1_500);
  expect(lines).toBeLessThanOrEqual(2_200);
});
