/**
 * Responsibility: a folder whose modules resolve the installation's packages to the copies that this process has loaded.
 * Not responsible for: which packages those are (installed.ts).
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeFolder } from "@palimpsest/std/files";
import { z } from "zod";
import { importablePackages } from "./installed.js";

type LoadPackage = () => Readonly<Record<string, unknown>>;

/** The registry in which a bundled program lists the packages that it contains (scripts/setup/bundle). */
const registry = Symbol.for("palimpsest.bundled.packages");

const manifestSchema = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});

/** Creates the folder; it is removed when this process ends. */
export function folderWithPackages(): string {
  const made = mkdtempSync(join(tmpdir(), "palimpsest-modules-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  const bundled: unknown = Reflect.get(globalThis, registry);
  for (const [name, target] of importablePackages()) {
    const place = join(made, "node_modules", name);
    makeFolder(dirname(place));
    if (typeof bundled !== "object" || bundled === null) symlinkSync(target, place, "dir");
    else writeStandIn(place, target, name, bundled as Readonly<Record<string, LoadPackage>>);
  }
  return made;
}

/** Returns the file of each module that a package exports, by the module's subpath. */
export function exportedModules(manifest: string): (readonly [subpath: string, file: string])[] {
  const { exports } = manifestSchema.parse(JSON.parse(manifest));
  return Object.entries(exports).flatMap(([subpath, target]) =>
    // An installed package also exports its package.json, which is no module, by its path alone.
    typeof target === "string" ? [] : [[subpath, target.default] as const],
  );
}

/** Writes a package whose modules re-export the bundle's, so that classes and module state exist only once. */
function writeStandIn(
  place: string,
  target: string,
  name: string,
  bundled: Readonly<Record<string, LoadPackage>>,
): void {
  mkdirSync(place);
  const modules = exportedModules(readFileSync(join(target, "package.json"), "utf8"));
  const files = modules.map(([subpath, file], index) => {
    const specifier = subpath.replace(/^\./, name);
    const load = bundled[specifier];
    const own = `module-${index}.js`;
    writeFileSync(
      join(place, own),
      load === undefined
        ? `export * from ${JSON.stringify(pathToFileURL(join(target, file)).href)};\n`
        : moduleOf(specifier, Object.keys(load())),
    );
    return [subpath, `./${own}`] as const;
  });
  const manifest = { name, type: "module", exports: Object.fromEntries(files) };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
}

function moduleOf(specifier: string, names: readonly string[]): string {
  const key = JSON.stringify(registry.description);
  return `const load = globalThis[Symbol.for(${key})][${JSON.stringify(specifier)}];
export const { ${names.join(", ")} } = load();
`;
}
