import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type Bundle, bundleModule } from "./bundle.js";
import { isMainModule } from "./module-source.js";

let folder: string;

beforeEach(() => {
  folder = testFolder();
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("bundleModule", () => {
  test("makes one module of TypeScript and all that it imports, and leaves the installation out", async () => {
    await file("base.ts", "export const base: number = 40;");
    const path = await file(
      "counter.ts",
      `import { base } from "./base.js"; import { connect } from "@palimpsest/client";
       export class Counter { value = base; connect = connect; }`,
    );
    const { bytes, sha256 } = await bundleModule(pathToFileURL(path));
    const text = textOf(bytes);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(text).toContain("40");
    expect(text).toMatch(/from "@palimpsest\/client"/);
    expect(text).not.toContain("./base");
  });

  test("holds a module that names itself by actorModule or taskModule as a bundle of its own", async () => {
    const counter = await file(
      "counter.ts",
      `import { actorModule, taskModule } from "@palimpsest/client";
       export class Counter { value: number = 41; }
       export function next(value: number): number { return value + 1; }
       export const counters = actorModule(Counter, import.meta.url);
       export const nexts = taskModule( next, import.meta.url, { external: ["sharp"] });`,
    );
    const main = await file(
      "main.ts",
      `import { counters, nexts } from "./counter.js"; use(counters, nexts);`,
    );
    const text = textOf((await bundleModule(main)).bytes);
    expect(text).not.toMatch(/(actor|task)Module\([^)]*import\.meta\.url/);
    const inside = [
      ...text.matchAll(/(?:actor|task)Module\(\s*(\w+),\s*new URL\("data:text\/javascript;base64,([^"]+)"/g),
    ];
    expect(inside.map(([, name]) => name)).toEqual(["Counter", "next"]);
    const own = textOf((await bundleModule(counter)).bytes);
    for (const [, , base64 = ""] of inside) expect(Buffer.from(base64, "base64").toString()).toBe(own);
    // In its own bundle it is at the bundle's place.
    expect(own).toMatch(/actorModule\(Counter, new URL\(import\.meta\.url\)\)/);
  });

  test("gives the same bytes for the same source", async () => {
    const path = await file("a.ts", "export class A { one(): number { return 1; } }");
    expect((await bundleModule(path)).sha256).toBe((await bundleModule(path)).sha256);
  });

  test("gives the same bytes wherever sources and their packages lie", async () => {
    const put = async (path: string, text: string) => {
      await mkdir(join(folder, dirname(path)), { recursive: true });
      await writeFile(join(folder, path), text);
    };
    const bundles: Bundle[] = [];
    // Packages beside the module, two folders above it, and in pnpm's own place.
    for (const [at, packages] of [
      ["one", "one/node_modules"],
      ["two/deep/er", "two/node_modules"],
      ["three", "three/node_modules/.pnpm/it@1.0.0/node_modules"],
    ] as const) {
      await put(`${packages}/plain/package.json`, `{"name":"plain","type":"module","main":"lib/index.js"}`);
      await put(
        `${packages}/plain/lib/index.js`,
        `/*! plain, MIT */\nexport const plain = () => new Error("here");`,
      );
      await put(`${packages}/old/index.js`, `/** @license old, MIT */\nexports.old = (a, b) => a + b;`);
      const text = `import { plain } from "plain"; import { old } from "old"; import { own } from "./own.js";
export class Agent { text = "../node_modules/plain/lib/index.js"; run = () => [plain(), old(1, 2), own]; }`;
      await put(`${at}/own.ts`, "export const own = 1;");
      await put(`${at}/agent.ts`, text);
      if (at === "three")
        for (const name of ["plain", "old"])
          await symlink(join(folder, packages, name), join(folder, "three/node_modules", name));
      bundles.push(await bundleModule(join(folder, at, "agent.ts")));
    }
    const [first, ...others] = bundles.map(({ bytes }) => textOf(bytes));
    for (const other of others) expect(other).toBe(first);
    expect(first).toContain(`"../node_modules/plain/lib/index.js"`);
    expect(first).toContain("plain, MIT");
    const map = Buffer.from(first?.split("base64,").at(-1) ?? "", "base64").toString();
    expect((JSON.parse(map) as { sources: string[] }).sources).toEqual([
      "app:node_modules/old/index.js",
      "app:node_modules/plain/lib/index.js",
      "app:agent.ts",
      "app:own.ts",
    ]);
    const bundled = await file("agent-out.mjs", first ?? "");
    const { Agent } = (await import(pathToFileURL(bundled).href)) as {
      Agent: new () => { run(): unknown[] };
    };
    expect(new Agent().run()).toEqual([new Error("here"), 3, 1]);
  });

  test("a bundle runs: classes keep their names and CommonJS may ask for require", async () => {
    await file("legacy.cjs", `module.exports = { sep: require("node:path").sep };`);
    const path = await file(
      "a.ts",
      `import legacy from "./legacy.cjs"; export class Long { sep = legacy.sep; }`,
    );
    const bundled = await file("out.mjs", textOf((await bundleModule(path)).bytes));
    const { Long } = (await import(pathToFileURL(bundled).href)) as { Long: new () => { sep: string } };
    expect(Long.name).toBe("Long");
    expect(new Long().sep).toBe("/");
  });

  test("a module that names itself by URL is its own bundle", async () => {
    const path = await file("self.ts", `export const self: URL = new URL("./self.ts", import.meta.url);`);
    const bundled = await file("self-out.mjs", textOf((await bundleModule(path)).bytes));
    const { self } = (await import(pathToFileURL(bundled).href)) as { self: URL };
    expect(self.href).toBe(pathToFileURL(bundled).href);
  });

  test("modules that name each other by URL are refused with their circle", async () => {
    const path = await file("one.ts", `export const other = new URL("./two.ts", import.meta.url);`);
    await file("two.ts", `export const other = new URL("./one.ts", import.meta.url);`);
    await expect(bundleModule(path)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/in a cycle.*one\.ts -> .*two\.ts -> .*one\.ts/s),
    });
  });

  test("a path with a space is bundled", async () => {
    const spaced = join(folder, "with space");
    await mkdir(spaced);
    await writeFile(join(spaced, "actor.ts"), "export class Spaced { answer(): number { return 42; } }");
    const path = join(spaced, "program.ts");
    await writeFile(path, `export const actor = new URL("./actor.ts", import.meta.url);`);
    const text = textOf((await bundleModule(pathToFileURL(path))).bytes);
    expect(text).toContain("data:text/javascript;base64,");
  });

  test("a program carries the modules of the actors that it names by URL", async () => {
    await file("actor.ts", "export class Worker { answer(): number { return 42; } }");
    const path = await file(
      "program.ts",
      `export const source: URL = new URL("./actor.js", import.meta.url);`,
    );
    const bundled = await file("out.mjs", textOf((await bundleModule(path)).bytes));
    const { source } = (await import(pathToFileURL(bundled).href)) as { source: URL };
    expect(source.protocol).toBe("data:");
    expect(textOf((await bundleModule(source)).bytes)).toContain("42");
  });

  test("says which file does not bundle and why", async () => {
    const path = await file("broken.ts", "export class {");
    await expect(bundleModule(path)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(bundleModule(path)).rejects.toThrow("broken.ts");
    const missing = `${path}.missing.ts`;
    await expect(bundleModule(missing)).rejects.toThrow(
      /missing\.ts cannot be bundled: it does not exist: ENOENT; name the file of a module$/,
    );
    await expect(bundleModule("./relative.ts")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(bundleModule("https://example.com/x.js")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

test("the program that runs is known, whatever else is not", async () => {
  const path = await file("main.mjs", "");
  expect(isMainModule(pathToFileURL(path), path)).toBe(true);
  expect(isMainModule(pathToFileURL(join(folder, "other.mjs")), path)).toBe(false);
  expect(isMainModule(pathToFileURL(path), undefined)).toBe(false);
});
