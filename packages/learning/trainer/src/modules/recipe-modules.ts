import type { Recipe } from "../recipe/recipe-schema.js";
import type { ObjectLocation } from "../weights/object-location.js";
import { type BuildOptions, type BuiltModule, buildModules } from "./build-module.js";
import { checkSettings, type LoadedModules, loadModules } from "./load-module.js";
import { type ModuleRole, moduleFields, withModuleNames } from "./module-fields.js";

/** The modules of one recipe: the bundles to transfer, and their exports. */
export interface RecipeModules {
  readonly built: readonly BuiltModule[];
  readonly loaded: LoadedModules;
}

/**
 * Bundles, checks and loads every module that a recipe names, and validates its settings, so that problems are reported
 * before anything is started.
 * @throws {PalimpsestError} CONFIG_INVALID with file, line and fix
 */
export async function openRecipeModules(recipe: Recipe, options: BuildOptions = {}): Promise<RecipeModules> {
  const fields = moduleFields(recipe);
  const built = await buildModules(fields, options);
  const loaded = await loadModules(built);
  for (const [place, { role, settings }] of fields.entries()) {
    const [module, exported] = [built[place], loaded[role]];
    if (module !== undefined && exported !== undefined) checkSettings(exported.schema, settings, module);
  }
  return { built, loaded };
}

/** The path of a bundle within a run's folder, which is also the module's name in the recipe that the run stores. */
export const keptModule = (sha256: string): string => `modules/${sha256}.mjs`;

/** Returns the recipe with its modules named by their bundles: equal if the modules are equal, wherever their sources are. */
export function keptRecipe(recipe: Recipe, built: readonly BuiltModule[]): Recipe {
  return withModuleNames(recipe, (role, module) => {
    const found = built.find((one) => one.role === role);
    return found === undefined ? module : keptModule(found.bundle.sha256);
  });
}

/** A module as an object of the cluster. */
export interface CarriedModule extends Pick<BuiltModule, "role" | "field" | "file"> {
  readonly location: ObjectLocation;
}

interface ObjectPut {
  put(bytes: Uint8Array): Promise<ObjectLocation>;
}

/** Puts the bundles on a node. Repeating it returns the same objects. */
export async function carryModules(
  objects: ObjectPut,
  built: readonly BuiltModule[],
): Promise<CarriedModule[]> {
  const carried: CarriedModule[] = [];
  for (const { role, field, file, bundle } of built)
    carried.push({ role, field, file, location: await objects.put(bundle.bytes) });
  return carried;
}

/** Loads the modules that an actor needs. @throws {PalimpsestError} OBJECT_LOST, CONFIG_INVALID */
export async function fetchModules(
  objects: { get(location: ObjectLocation): Promise<Uint8Array> },
  carried: readonly CarriedModule[],
  roles: readonly ModuleRole[],
): Promise<LoadedModules> {
  const wanted = carried.filter(({ role }) => roles.includes(role));
  return await loadModules(
    await Promise.all(
      wanted.map(async ({ location, ...module }) => ({
        ...module,
        bundle: { sha256: location.objectId, bytes: await objects.get(location) },
      })),
    ),
  );
}
