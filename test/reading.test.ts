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
  expect(lines).toBeGreaterThan(1_900);
  expect(lines).toBeLessThanOrEqual(2_100);
});

it("lists the storeys of large packages as the rules have them", async () => {
  const architecture = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
  const { default: rules }: { default: { forbidden: readonly { name: string }[] } } = await import(
    new URL("../.dependency-cruiser.cjs", import.meta.url).href
  );
  const lower = rules.forbidden.flatMap(({ name }) => {
    const [, house, storey] = /^(\w+)-storey-([\w-]+)-looks-down-only$/.exec(name) ?? [];
    return house === undefined || storey === undefined ? [] : [`${house}: ${storey}`];
  });
  const table = architecture.slice(architecture.indexOf("| package | storeys"));
  const listed = [...table.slice(0, table.indexOf("\n\n")).matchAll(/^\| (\w+) \| (.*) \|$/gm)]
    .filter(([, house]) => house !== "package")
    .flatMap(([, house, storeys]) => {
      const [, ...below] = (storeys ?? "").replace(/ \([^)]*\)/g, "").split(", ");
      return below.map((storey) => `${house}: ${storey}`);
    });
  expect(listed.toSorted()).toEqual(lower.toSorted());
});
