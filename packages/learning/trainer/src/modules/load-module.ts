/**
 * Responsibility: runs a bundled module in this process and returns its checked exports.
 * Not responsible for: bundling, transferring bundles to machines.
 *
 * Invariants:
 * - MODULE-1. The bytes of the bundle are what is run: every process of a run has the code whose hash the run records.
 * - MODULE-2. A module is imported once per process, however often it is requested.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentModule } from "@palimpsest/agents";
import type { DataModule } from "@palimpsest/datasets";
import type { AdvantageModule } from "@palimpsest/learner";
import type { RewardModule } from "@palimpsest/rewards";
import { problemsLine, readInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { formerNames } from "../recipe/former-names.js";
import type { BuiltModule } from "./build-module.js";
import { moduleTypes } from "./check-types.js";
import { folderWithPackages } from "./linked-packages.js";
import type { ModuleRole } from "./module-fields.js";
import { PlacedErrors } from "./placed-errors.js";

/** The exports of a recipe's modules, by their role. */
export interface LoadedModules {
  readonly agent?: AgentModule;
  readonly reward?: RewardModule;
  readonly data?: DataModule;
  readonly advantage?: AdvantageModule;
}

type Exported = NonNullable<LoadedModules[ModuleRole]>;
type Loadable = Pick<BuiltModule, "role" | "field" | "file" | "bundle"> & { readonly sourceFolder?: string };

let folder: string | undefined;
/** Keyed by the bundle, and by its fields in the recipe. */
const exported = new Map<string, Exported>();
const imported = new Map<string, Promise<Readonly<Record<string, unknown>>>>();

/** @throws {PalimpsestError} CONFIG_INVALID with file, line and fix */
export async function loadModules(modules: readonly Loadable[]): Promise<LoadedModules> {
  const loaded = await Promise.all(
    modules.map(async (module) => [module.role, await loadModule(module)] as const),
  );
  // Each was checked to have the role under which it is stored here.
  return Object.fromEntries(loaded) as LoadedModules;
}

async function loadModule(module: Loadable): Promise<Exported> {
  const { role, field, file, sourceFolder = "" } = module;
  const { sha256 } = module.bundle;
  const errors = new PlacedErrors({ field, file, sourceFolder });
  // Makes errors of the module refer to the lines that its author wrote.
  process.setSourceMapsEnabled(true);
  const found = imported.get(sha256) ?? importBytes(module);
  imported.set(sha256, found);
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await found;
  } catch (reason) {
    throw refused(
      field,
      `${errors.placeOf(reason) ?? file}: threw while it was imported: ${messageOf(reason)}`,
      reason,
    );
  }
  const parsed = exportedSchema.safeParse(exports["default"]);
  const { define } = moduleTypes[role];
  if (!parsed.success || parsed.data.provides !== role) {
    const given = parsed.success
      ? `is of the kind "${parsed.data.provides}"`
      : `is missing or has no kind (exports: ${Object.keys(exports).join(", ") || "nothing"})`;
    throw refused(field, `${file}:1: the default export ${given}; write \`export default ${define}({ … })\``);
  }
  const key = [sha256, role, field, file, sourceFolder].join("\n");
  const known = exported.get(key) ?? errors.within(role, exports["default"] as Exported);
  exported.set(key, known);
  return known;
}

const exportedSchema = z.looseObject({ provides: z.string(), schema: z.custom<z.ZodType>(isSchema) });

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && "safeParse" in value;
}

/**
 * Validates a recipe's settings with the module's own schema.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function checkSettings(
  schema: z.ZodType,
  settings: Readonly<Record<string, unknown>>,
  { field, file, sourceFolder }: Pick<BuiltModule, "field" | "file" | "sourceFolder">,
): void {
  let read: ReturnType<typeof readInput>;
  try {
    read = readInput(schema, settings, { former: formerNames });
  } catch (reason) {
    throw refused(
      field,
      `${new PlacedErrors({ field, file, sourceFolder }).placeOf(reason) ?? file}: the schema of the settings threw: ${messageOf(reason)}`,
      reason,
    );
  }
  if ("data" in read) return;
  const problems = read.problems.map((problem) => ({
    ...problem,
    path: [field, "settings", ...problem.path],
  }));
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${problemsLine(problems)} (according to the schema in ${file})`,
  );
}

async function importBytes({ bundle, sourceFolder }: Loadable): Promise<Readonly<Record<string, unknown>>> {
  folder ??= folderWithPackages();
  const path = join(folder, `${bundle.sha256}.mjs`);
  writeFileSync(path, sourceFolder ? withSourceFolder(bundle.bytes, sourceFolder) : bundle.bytes);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}

const inlineMap = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Returns the bundle with a source map that leads to its source files, for stack traces and debuggers. */
function withSourceFolder(bytes: Uint8Array, sourceFolder: string): string {
  const text = Buffer.from(bytes).toString("utf8");
  return text.replace(inlineMap, (_whole, base64: string) => {
    const map = JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as object;
    const rooted = JSON.stringify({ ...map, sourceRoot: `${pathToFileURL(sourceFolder).href}/` });
    return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(rooted).toString("base64")}\n`;
  });
}

const refused = (field: string, what: string, cause?: unknown) =>
  new PalimpsestError("CONFIG_INVALID", `${field}.module: ${what}`, cause === undefined ? {} : { cause });

const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
