import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  // This is how sql.js finds its WebAssembly.
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
