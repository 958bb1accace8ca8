import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseConfig } from "../recipe/config-error.js";
import { type LoadedModules, loadModules } from "./load-module.js";
import { modulePaths, moduleRoles } from "./module-fields.js";
import { keptModule } from "./recipe-modules.js";

const runFileSchema = z.object({
  modules: z.array(z.object({ field: z.string(), file: z.string(), sha256: z.string() })).default([]),
});

/**
 * Loads the exports of the modules with which a run was started, from the run's folder.
 * @param fields fields of the recipe, such as "agent"
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export async function loadKeptModules(runDir: string, fields: readonly string[]): Promise<LoadedModules> {
  const file = join(runDir, "run.json");
  const { modules } = parseConfig(runFileSchema, JSON.parse(readFileSync(file, "utf8")), file);
  const wanted = modules.filter(({ field }) => fields.includes(field));
  return await loadModules(
    wanted.flatMap(({ field, file: name, sha256 }) => {
      const role = moduleRoles.find((one) => modulePaths[one].slice(0, -1).join(".") === field);
      const bytes = readFileSync(join(runDir, keptModule(sha256)));
      return role === undefined ? [] : [{ role, field, file: name, bundle: { sha256, bytes } }];
    }),
  );
}
