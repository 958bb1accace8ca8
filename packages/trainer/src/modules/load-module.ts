/**
 * Responsibility: runs a bundled module in this process and gives what it exports, checked.
 * Not responsible for: bundling, carrying bundles to machines.
 *
 * Invariants:
 * - MODULE-1. What is run are the bytes of the bundle: every process of a run has the code whose hash the run keeps.
 * - MODULE-2. A module is imported once in a process, however often it is asked for.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentModule } from "@palimpsest/agents";
import type { DataModule } from "@palimpsest/datasets";
import type { AdvantageModule } from "@palimpsest/learner";
import type { RewardModule } from "@palimpsest/rewards";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { settingsProblems } from "../recipe/config-error.js";
import type { BuiltModule } from "./build-module.js";
import { moduleTypes } from "./check-types.js";
import { folderWithPackages } from "./linked-packages.js";
import type { ModuleRole } from "./module-fields.js";
import { PlacedErrors } from "./placed-errors.js";

/** What the modules of a recipe export, by what they are for. */
export interface LoadedModules {
  readonly agent?: AgentModule;
  readonly reward?: RewardModule;
  readonly data?: DataModule;
  readonly advantage?: AdvantageModule;
}

type Exported = NonNullable<LoadedModules[ModuleRole]>;
type Loadable = Pick<BuiltModule, "role" | "field" | "file" | "bundle"> & { readonly sourceFolder?: string };

let folder: string | undefined;
/** By bundle, and by what recipes say of it. */
const exported = new Map<string, Exported>();
const imported = new Map<string, Promise<Readonly<Record<string, unknown>>>>();

/** @throws {PalimpsestError} CONFIG_INVALID with file, line and fix */
export async function loadModules(modules: readonly Loadable[]): Promise<LoadedModules> {
  const loaded = await Promise.all(
    modules.map(async (module) => [module.role, await loadModule(module)] as const),
  );
  // Each was checked to be for the role under which it stands here.
  return Object.fromEntries(loaded) as LoadedModules;
}

async function loadModule(module: Loadable): Promise<Exported> {
  const { role, field, file, sourceFolder = "" } = module;
  const { sha256 } = module.bundle;
  const errors = new PlacedErrors({ field, file, sourceFolder });
  // Errors of the module are of the lines that its author wrote.
  process.setSourceMapsEnabled(true);
  const found = imported.get(sha256) ?? importBytes(module);
  imported.set(sha256, found);
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await found;
  } catch (reason) {
    throw refused(
      field,
      `${errors.placeOf(reason) ?? file}: throws as it is imported: ${messageOf(reason)}`,
      reason,
    );
  }
  const parsed = exportedSchema.safeParse(exports["default"]);
  const { define } = moduleTypes[role];
  if (!parsed.success || parsed.data.provides !== role) {
    const given = parsed.success
      ? `is for ${parsed.data.provides}`
      : `is none (exports: ${Object.keys(exports).join(", ") || "nothing"})`;
    throw refused(field, `${file}:1: its default export ${given}; write \`export default ${define}({ … })\``);
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
 * Has the module's own schema look at the settings of a recipe.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function checkSettings(
  schema: z.ZodType,
  settings: Readonly<Record<string, unknown>>,
  { field, file, sourceFolder }: Pick<BuiltModule, "field" | "file" | "sourceFolder">,
): void {
  let parsed: z.ZodSafeParseResult<unknown>;
  try {
    parsed = schema.safeParse(settings);
  } catch (reason) {
    throw refused(
      field,
      `${new PlacedErrors({ field, file, sourceFolder }).placeOf(reason) ?? file}: the schema of its settings throws: ${messageOf(reason)}`,
      reason,
    );
  }
  if (parsed.success) return;
  const lines = settingsProblems(parsed.error, schema, settings, [field, "settings"]);
  throw new PalimpsestError("CONFIG_INVALID", `${lines.join(" | ")} (by ${file})`);
}

async function importBytes({ bundle, sourceFolder }: Loadable): Promise<Readonly<Record<string, unknown>>> {
  folder ??= folderWithPackages();
  const path = join(folder, `${bundle.sha256}.mjs`);
  writeFileSync(path, sourceFolder ? withSourceFolder(bundle.bytes, sourceFolder) : bundle.bytes);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}

const inlineMap = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;

/** The bundle with a map that leads to the files of its source, which stack traces and debuggers then show. */
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
