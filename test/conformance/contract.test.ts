/** Tests that docs/contract.md names a test for each sentence, by the beginning of its title, and that each of them exists. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Returns the names of the tests in a file. */
function testsOf(path: string): readonly string[] {
  return [...read(path).matchAll(/^\s*test\("([^"]+)"/gm)].map(([, name]) => name ?? "");
}

test("every sentence of the contract has a test that is there, and every test of the suite holds a sentence", () => {
  const rows = read("docs/contract.md")
    .split("\n")
    .filter((line) => line.startsWith("- "));
  const cited = rows.map((line) => {
    const [, path, name] = /\(`([^`]+)`: (.+)\)$/.exec(line) ?? [];
    if (path === undefined || name === undefined) throw new Error(`no test is named in: ${line}`);
    return { path, name };
  });
  expect(rows.length).toBeGreaterThan(50);
  const isNamed = (title: string, beginning: string) =>
    beginning.endsWith("…") ? title.startsWith(beginning.slice(0, -1)) : title === beginning;
  const named = cited.map(({ path, name }) => ({
    name,
    titles: testsOf(path).filter((title) => isNamed(title, name)),
  }));
  expect(named.filter(({ titles }) => titles.length !== 1)).toEqual([]);
  const folder = "test/conformance";
  const own = readdirSync(join(root, folder)).filter(
    (name) => name.endsWith(".test.ts") && name !== "contract.test.ts",
  );
  const unnamed = own.flatMap((file) =>
    testsOf(`${folder}/${file}`).filter(
      (name) => !cited.some((one) => one.path === `${folder}/${file}` && isNamed(name, one.name)),
    ),
  );
  expect(unnamed).toEqual([]);
});
