import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const scripts = new URL("../scripts/setup/bundle/", import.meta.url);
const { loaderOf, standIn } = (await import(new URL("loader.mjs", scripts).href)) as {
  readonly loaderOf: (
    file: string,
    options: { readonly cacheOf: string; readonly recording?: string },
  ) => string;
  readonly standIn: (name: string, original: string, exportNames: readonly string[]) => string;
};
const { bundle } = (await import(new URL("modules.mjs", scripts).href)) as {
  readonly bundle: (options: Readonly<Record<"source" | "folder" | "outfile", string>>) => Promise<string[]>;
};

let folder: string;

const errorModule = "export class Broken extends Error {}\nexport default Broken;\n";
const mainModule = `
import { Broken } from "./error.js";
/** A method may be called as import() is. */
export const importer = {
  import(name) { return name; },
};
globalThis[Symbol.for("palimpsest.bundled")] = { error: { Broken, default: Broken } };
const url = import.meta.url;
import { beside } from "./beside.cjs";
async function main() {
  const { fails } = await import(process.argv[3]);
  try { fails(); } catch (reason) {
    console.log(JSON.stringify({ url, beside, isSame: reason instanceof Broken }));
  }
  process.emit("SIGUSR2");
}
void main();
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-bundle-test-"));
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "error.js"), errorModule);
  writeFileSync(join(folder, "main.js"), mainModule);
  // This is how packages find files of theirs.
  writeFileSync(join(folder, "beside.cjs"), 'exports.beside = __dirname + "/beside.txt";\n');
  writeFileSync(join(folder, "error-bundled.js"), standIn("error", "./error.js", ["Broken", "default"]));
  writeFileSync(
    join(folder, "user.js"),
    'import { Broken } from "./error-bundled.js";\nexport const fails = () => { throw new Broken("no"); };\n',
  );
  const outfile = join(folder, "out/main.bundle.js");
  await bundle({ source: 'import "./main.js";', folder, outfile });
  const cacheOf = '"main.cache"';
  writeFileSync(
    join(folder, "out/record.cjs"),
    loaderOf("main.bundle.js", { cacheOf, recording: "SIGUSR2" }),
  );
  writeFileSync(join(folder, "out/main.cjs"), loaderOf("main.bundle.js", { cacheOf }));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(program: string): Promise<unknown> {
  const args = [join(folder, "out", program), "x", pathToFileURL(join(folder, "user.js")).href];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (reason: { stdout: string }) => reason,
  );
  return JSON.parse(stdout);
}

test("a bundled module knows its own place, imports users' modules and shares its classes with them", async () => {
  const expected = {
    url: pathToFileURL(join(folder, "main.js")).href,
    beside: join(folder, "beside.txt"),
    isSame: true,
  };
  expect(await run("record.cjs")).toEqual(expected);
  // The second run uses the code cache, with which import() does not work by itself.
  expect(await run("main.cjs")).toEqual(expected);
});

test("every character means in a bundle what it means in its module, and the bundle is ASCII", async () => {
  const outfile = join(folder, "out/characters.bundle.js");
  const module = new URL("support/characters.mjs", import.meta.url);
  await bundle({ source: 'export * from "./characters.mjs";', folder: join(module.pathname, ".."), outfile });
  const program = join(folder, "out/characters.cjs");
  writeFileSync(program, loaderOf("characters.bundle.js", { cacheOf: '"characters.cache"' }));
  expect(/[^\0-\x7f]/.exec(readFileSync(outfile, "utf8"))).toBeNull();
  const { characters } = (await import(module.href)) as { readonly characters: object };
  expect(createRequire(import.meta.url)(program).characters).toEqual(characters);
  expect(Object.values(characters)).not.toContain(undefined);
  // A text that was not escaped is read as what it is.
  writeFileSync(
    join(folder, "out/wide.js"),
    "module.exports = /[\u00e3\u8336]+/.exec('S\u00e3o \u8336')[0];",
  );
  writeFileSync(join(folder, "out/wide.cjs"), loaderOf("wide.js", { cacheOf: '"wide.cache"' }));
  expect(createRequire(import.meta.url)(join(folder, "out/wide.cjs"))).toBe("\u00e3");
});

test("a module with what a bundle cannot carry is refused by name", async () => {
  const refused = (text: string) => {
    writeFileSync(join(folder, "refused.js"), text);
    return bundle({ source: 'import "./refused.js";', folder, outfile: join(folder, "out/refused.js") });
  };
  const text = JSON.stringify('await import("zod")');
  await expect(refused(`console.log(${text});`)).rejects.toThrow(
    /string .* import\(\) cannot be bundled: .*zod/,
  );
  // Modules are distinguished by comments, which a text may hold, too.
  const inLines = 'console.log(`\n// other.js\nawait import("zod");\n// last.js\n`);';
  await expect(refused(inLines)).rejects.toThrow(/string .* import\(\) cannot be bundled: .*zod/);
  await expect(refused("console.log(import.meta.dirname);")).rejects.toThrow(/import\.meta/);
  await expect(refused("console.log('import() by name'); import(process.argv[2]);")).resolves.toBeDefined();
});
