/** Names the code of an actor or a task to the cluster, and prepares it for upload. */
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { checkFields, checkValue, refused, rules } from "../base/fields.js";
import type { BundleOptions } from "./build-module.js";
import { type Bundle, bundleModule } from "./bundle.js";
import { isMainModule, type ModuleSource, sourceRule, sourceUrl } from "./module-source.js";

/** Where nodes find the class or function. */
export type CodeSource =
  | {
      /** Specifier of a module of the installation, "@palimpsest/…". */
      readonly module: string;
      /** Default: the name of the class or function. */
      readonly exportName?: string;
    }
  | ({
      /** URL of the file that exports it, which is bundled and uploaded. It must not be the program's main file. */
      readonly from: ModuleSource;
      readonly exportName?: string;
    } & BundleOptions);

const sourceRules = {
  ...{ module: rules.filledText, from: sourceRule, exportName: rules.filledText, external: rules.texts },
} as const;

/**
 * Refuses what does not say where nodes find a class or function.
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function checkSource(source: CodeSource, what: string): void {
  if (source === undefined)
    throw refused(
      what,
      "is missing: give { from: import.meta.url } of the module that exports it, or { module } of an installed package",
    );
  checkFields(source, sourceRules, what);
  if ("module" in source && "from" in source)
    throw refused(what, "module and from are given: give one of them");
  if (!("module" in source)) checkValue(source.from, sourceRule, `${what}: from`);
}

export interface Code {
  readonly ref: proto.CodeRef.$Properties;
  /** The bundle of the code; undefined for a module that the cluster has. */
  readonly bundle: Bundle | undefined;
}

/** Hashes of the bundles that this process runs, by the URLs of their files. */
const ownBundles = new Map<string, string>();

/**
 * Registers the bundle that this process runs and that the head keeps, so that its file need not be bundled again.
 */
export function knowBundle(url: string, sha256: string): void {
  ownBundles.set(url, sha256);
}

/**
 * @param external packages that its environment provides
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export async function codeOf(
  source: CodeSource,
  exportName: string,
  external: readonly string[] = [],
): Promise<Code> {
  if ("module" in source) {
    if (!source.module.startsWith("@palimpsest/")) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `module ${source.module} is not part of the installation ("@palimpsest/…"); pass { from: new URL("./file.js", import.meta.url) } to have it bundled`,
      );
    }
    return { ref: { module: source.module, exportName }, bundle: undefined };
  }
  const url = sourceUrl(source.from);
  const own = ownBundles.get(url.href);
  if (own !== undefined) return { ref: { bundle: own, exportName }, bundle: undefined };
  if (isMainModule(url, process.argv[1])) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${url.href} is the program itself and would run again inside the worker; move ${exportName} to a file of its own`,
    );
  }
  const bundle = await bundleModule(url, { external: [...(source.external ?? []), ...external] });
  return { ref: { bundle: bundle.sha256, exportName }, bundle };
}
