import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { exportedModules, folderWithPackages } from "./linked-packages.js";

const registry = Symbol.for("palimpsest.bundled.packages");
const made: string[] = [];

afterEach(() => {
  Reflect.deleteProperty(globalThis, registry);
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What a module in the folder finds as those packages. */
async function found(text: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = folderWithPackages();
  made.push(folder);
  const path = join(folder, "own.mjs");
  writeFileSync(path, text);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}

const names = `
export { AgentError, defineAgent } from "@palimpsest/agents";
export { scriptedSampler } from "@palimpsest/agents/testing";
`;

it("in a bundled program they find what the bundle has, and beside it the installation", async () => {
  class AgentError extends Error {}
  const defineAgent = () => "the bundle's";
  const loaded: string[] = [];
  const load = (name: string, exports: object) => () => {
    loaded.push(name);
    return exports;
  };
  Reflect.set(globalThis, registry, {
    "@palimpsest/agents": load("agents", { AgentError, defineAgent }),
    "@palimpsest/memory/text": load("text", { words: 1 }),
  });
  const exported = await found(`${names}export { words } from "@palimpsest/memory/text";\n`);
  expect(exported["AgentError"]).toBe(AgentError);
  expect(exported["defineAgent"]).toBe(defineAgent);
  expect(exported["words"]).toBe(1);
  expect(exported["scriptedSampler"], "which no bundle has").toBeTypeOf("function");
  expect(new Set(loaded)).toEqual(new Set(["agents", "text"]));
});

it("the manifest of an installed package, which exports itself by its path, is read", () => {
  const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
  const manifest = { exports: { ...exports, "./package.json": "./package.json" } };
  expect(exportedModules(JSON.stringify(manifest))).toEqual([[".", "./dist/index.js"]]);
});
