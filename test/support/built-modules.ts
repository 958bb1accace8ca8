/**
 * Responsibility: resolves the packages' modules that tests import to the built files, which Node loads itself.
 * Not responsible for: building them; `fresh-build.ts` does.
 *
 * Invariants:
 * - BUILT-1. A process has one copy of a module: all tests import the built one, and so do the built modules themselves.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vitest/config";

/** Tests that replace or reset modules of their package, which vitest can do only with sources that it loads itself. */
const replacing = ["/jit/src/backend.test.ts", "/wire/src/faults/environment-faults.test.ts"];

const sources = /\/packages\/([a-z-]+)\/src\//;

/** Files that vitest leaves to Node. */
export const builtFiles = /\/packages\/[a-z-]+\/dist\//;

/** Returns whether the module is a package's source rather than a test. Such a module was reached from a test that replaces modules. */
const isSource = (path: string) => sources.test(path) && !path.endsWith(".test.ts");

/**
 * Vite would transform a thousand sources for each project, and its modules call each other through getters: with the
 * built files the packages' tests take a tenth less processor time.
 */
export function builtModules(): Plugin {
  const built = new Map<string, string | undefined>();
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(id, importer) {
      if (!id.startsWith(".") || importer === undefined) return undefined;
      if (isSource(importer) || replacing.some((test) => importer.endsWith(test))) return undefined;
      const path = resolve(dirname(importer), id).replace(/\.ts$/, ".js");
      if (!built.has(path)) {
        const file = path.replace(sources, "/packages/$1/dist/");
        built.set(path, file !== path && existsSync(file) ? file : undefined);
      }
      return built.get(path);
    },
  };
}
