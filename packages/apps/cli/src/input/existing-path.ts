import { type Stats, statSync } from "node:fs";
import { pathError } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * Returns what is at a path.
 * @param named the path as it was given, after the option that names it
 * @param fix what to do, such as "name the folder of the documents"
 * @throws {PalimpsestError} NOT_FOUND where nothing is there
 */
export function existingPath(path: string, named: string, fix: string): Stats {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) return found;
  throw new PalimpsestError("NOT_FOUND", `${named}: does not exist; ${fix}`, {
    cause: pathError("ENOENT", path),
  });
}

/** The same for a file. @throws {PalimpsestError} INVALID_ARGUMENT, too, for a folder */
export function existingFile(path: string, named: string, fix: string): void {
  if (!existingPath(path, named, fix).isDirectory()) return;
  throw new PalimpsestError("INVALID_ARGUMENT", `${named}: is a folder; ${fix}`);
}

/** The same for a folder. @throws {PalimpsestError} INVALID_ARGUMENT, too, for a path that is none */
export function existingFolder(path: string, named: string, fix: string): void {
  if (existingPath(path, named, fix).isDirectory()) return;
  throw new PalimpsestError("INVALID_ARGUMENT", `${named}: is not a folder; ${fix}`);
}
