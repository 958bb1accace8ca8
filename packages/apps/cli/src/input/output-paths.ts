/** The paths that commands write, which are looked at before a command begins: no work of hours is lost to a mistyped one. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "@palimpsest/std/files";
import { pathError, reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command, Option } from "commander";

/** Flags that name what a command writes. */
export const outputFlags =
  /^--(?:data-dir|out|output|trace|report|run-dir|folder|log|drop|to|resume|reader-token-file|dir|node-dir|object-store-dir)$/;

/** A data folder is also where commands look for the head of this machine. Those that write there say so at once. */
export const isLookedAt = ({ long, flags }: Pick<Option, "long" | "flags">): boolean =>
  long !== "--data-dir" && outputFlags.test(long ?? "") && /<[^>]*(?:file|folder|path)/.test(flags);

/**
 * Refuses paths of the command that cannot be written: those through a file, of the wrong kind, or without permission. The
 * folder of a file is made, so that whatever writes the file finds it.
 * @throws {PalimpsestError} INVALID_ARGUMENT, caused by the error that writing there would be
 */
export function refuseUnwritable(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (!isLookedAt(option) || typeof value !== "string" || value === "-") continue;
    const wanted = /<[^>]*file/.test(option.flags) ? "file" : option.flags.includes("folder") ? "folder" : "";
    const problem = unwritable(resolve(value), wanted);
    if (problem !== undefined)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${option.long} ${value}: cannot be written, since ${reasonText(problem)}; name another ${wanted || "path"}`,
        { cause: problem },
      );
  }
}

function unwritable(path: string, wanted: "file" | "folder" | ""): Error | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined && wanted === "file") makeFolder(dirname(path));
    if (found === undefined) return noFolder(dirname(path));
    if (wanted === "file" && found.isDirectory()) return pathError("EISDIR", path);
    if (wanted === "folder" && !found.isDirectory()) return pathError("ENOTDIR", path);
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (reason) {
    return reason instanceof Error ? reason : new Error(String(reason));
  }
}

/** Returns why nothing can be made in the nearest folder that is there. */
function noFolder(folder: string): Error | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined && folder !== dirname(folder)) return noFolder(dirname(folder));
  if (found?.isDirectory() !== true) return pathError("ENOTDIR", folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
  return undefined;
}
