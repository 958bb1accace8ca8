import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Bundle, bundleModule } from "@palimpsest/client";
import { pathError } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { checkTypes } from "./check-types.js";
import type { ModuleField, ModuleRole } from "./module-fields.js";

/** A module of a recipe as one file that runs on every machine with the installation. */
export interface BuiltModule {
  readonly role: ModuleRole;
  /** The field of the recipe that names the module, for errors. */
  readonly field: string;
  /** Its file name, without folders. */
  readonly file: string;
  /** Folder of its source, to which stack traces and debuggers lead; "" if the source is elsewhere. */
  readonly sourceFolder: string;
  /** Equal sources give equal bytes, regardless of their folder. */
  readonly bundle: Bundle;
}

export interface BuildOptions {
  readonly signal?: AbortSignal;
  /** Called with the reason if the types of a module could not be checked. */
  readonly onNotice?: (text: string) => void;
}

const bundleUrl = /^data:text\/javascript;name=([^;,]*);base64,/;

/**
 * Bundles modules and checks their default exports against what the recipe expects.
 * @throws {PalimpsestError} CONFIG_INVALID with file, line and fix
 */
export async function buildModules(
  fields: readonly ModuleField[],
  { signal, onNotice }: BuildOptions,
): Promise<BuiltModule[]> {
  const built = await Promise.all(fields.map((field) => buildModule(field)));
  const sources = fields.filter(({ module }) => !bundleUrl.test(module));
  const { errors, unchecked } = await checkTypes(
    sources.map(({ module, role }) => ({ path: module, role })),
    signal,
  );
  if (unchecked !== undefined) onNotice?.(`the types of modules were not checked: ${unchecked}`);
  if (errors.length === 0) return built;
  // A file that a module imports may belong to any of them.
  const theirs = sources.filter(({ module }) => errors.some((error) => error.startsWith(`${module}:`)));
  const known = errors.every((error) => theirs.some(({ module }) => error.startsWith(`${module}:`)));
  const names = (known ? theirs : sources).map(({ field }) => `${field}.module`).join(", ");
  throw new PalimpsestError("CONFIG_INVALID", `${names}: type errors: ${errors.join(" | ")}`);
}

async function buildModule({ role, field, module }: ModuleField): Promise<BuiltModule> {
  const named = bundleUrl.exec(module)?.[1];
  if (named !== undefined) {
    const file = decodeURIComponent(named);
    return { role, field, file, sourceFolder: "", bundle: await bundleModule(new URL(module)) };
  }
  if (!existsSync(module)) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}.module: file ${module} does not exist; write it, or give an existing one (\`palimpsest new agent NAME\` writes one)`,
      { cause: pathError("ENOENT", module) },
    );
  }
  const bundle = await bundleModule(module).catch((reason: unknown) => {
    const { message } = PalimpsestError.from(reason);
    const line = message.replace(/^\[\w+\] /, "").replace(/\s*\n\s*/g, " ");
    throw new PalimpsestError("CONFIG_INVALID", `${field}.module: ${line}`, { cause: reason });
  });
  return { role, field, file: basename(module), sourceFolder: dirname(module), bundle };
}

/** Returns the bundle as a text that replaces the path in a recipe, for machines without the source. */
export function moduleUrl({ file, bundle }: BuiltModule): string {
  const base64 = Buffer.from(bundle.bytes).toString("base64");
  return `data:text/javascript;name=${encodeURIComponent(file)};base64,${base64}`;
}
