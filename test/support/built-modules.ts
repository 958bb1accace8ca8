/**
 * Responsibility: resolves the packages' modules that tests import to the built files, which Node loads itself.
 * Not responsible for: building them; `fresh-build.ts` does.
 *
 * Invariants:
 * - BUILT-1. A process has one copy of a module: all tests import the built one, and so do their fixtures and the built modules themselves.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vitest/config";

/** Tests that replace or reset modules of their package, which vitest can do only with sources that it loads itself. */
const replacing = ["/jit/src/backend/backend.test.ts", "/wire/src/faults/environment-faults.test.ts"];

const sources = /(\/packages\/[a-z]+\/[a-z-]+)\/src\//;

/** Files that vitest leaves to Node. */
export const builtFiles = /\/packages\/[a-z]+\/[a-z-]+\/dist\//;

const builtPaths = new Map<string, string | undefined>();

/** Returns the built file of a package's source; undefined for tests and what only they import, which are not built. */
function builtOf(source: string): string | undefined {
  if (!builtPaths.has(source)) {
    const file = source.replace(sources, "$1/dist/").replace(/\.ts$/, ".js");
    builtPaths.set(source, file !== source && existsSync(file) ? file : undefined);
  }
  return builtPaths.get(source);
}

/**
 * Vite would transform a thousand sources for each project, and its modules call each other through getters: with the
 * built files the packages' tests take a tenth less processor time.
 */
export function builtModules(): Plugin {
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(id, importer) {
      if (!id.startsWith(".") || importer === undefined) return undefined;
      // A source that is loaded though it is built was reached from a test that replaces modules.
      if (builtOf(importer) !== undefined || replacing.some((test) => importer.endsWith(test)))
        return undefined;
      return builtOf(resolve(dirname(importer), id));
    },
  };
}
