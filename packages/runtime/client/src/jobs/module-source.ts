import { createRequire } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PalimpsestError } from "@palimpsest/wire";
import type { Rule } from "../base/fields.js";

/** A `file:` URL, an absolute path, or a `data:` URL of a finished bundle. */
export type ModuleSource = string | URL;

export const sourceRule: Rule = {
  passes: (value) => value instanceof URL || (typeof value === "string" && value !== ""),
  give: 'a URL, such as new URL("./counter.js", import.meta.url)',
};

/** @throws {PalimpsestError} INVALID_ARGUMENT */
export function sourceUrl(source: ModuleSource): URL {
  if (source instanceof URL) return allowed(source);
  if (isAbsolute(source)) return pathToFileURL(source);
  if (URL.canParse(source)) return allowed(new URL(source));
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `module source ${source} is neither a file: URL nor an absolute path; pass new URL("./x.js", import.meta.url)`,
  );
}

function allowed(url: URL): URL {
  if (url.protocol === "file:" || url.protocol === "data:") return url;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `module source ${shown(url)} is not a file: URL; pass new URL("./x.js", import.meta.url)`,
  );
}

/** Returns the bundle that a `data:` URL is. */
export function dataOf(url: URL): Uint8Array {
  const comma = url.href.indexOf(",");
  return Buffer.from(url.href.slice(comma + 1), "base64");
}

function shown(url: URL): string {
  return url.href.slice(0, 200);
}

/**
 * Returns whether the module is the running program itself, which as an actor's bundle would run again in every
 * actor.
 */
export function isMainModule(url: URL, mainPath: string | undefined): boolean {
  if (url.protocol !== "file:" || mainPath === undefined) return false;
  try {
    return createRequire(import.meta.url).resolve(mainPath) === fileURLToPath(url);
  } catch {
    return false;
  }
}
