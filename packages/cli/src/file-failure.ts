/**
 * Says what to do about an error of the file system: which path or disk it concerns, which flag named it, and the remedy.
 */
import { dirname, resolve, sep } from "node:path";

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space, or name a folder on another disk",
  EDQUOT: "the quota of this disk is used up: free some space, or name a folder on another disk",
  EACCES: "this user may not do that there: change the permissions, or name another path",
  EPERM: "this user may not do that there: change the permissions, or name another path",
  EROFS: "the file system can only be read: name a path on another one",
  ENOENT: "it does not exist: check the path, or create its folder",
  EISDIR: "it is a folder: name a file",
  ENOTDIR: "a part of the path is a file: name a folder",
  EEXIST: "it exists already: name another path, or remove it",
  EMFILE: "this process has too many open files: raise the limit with `ulimit -n 65536`",
  ENFILE: "this machine has too many open files: close programs, or raise fs.file-max",
  ENAMETOOLONG: "the path is too long: name a shorter one",
  ELOOP: "its links lead in a circle: name the file itself",
};

/** Flags that name what a command writes. An error of a full disk does not say which file it was. */
const outputs =
  /^--(?:output|out|trace|run-dir|data-dir|node-dir|dir|save|report|export|memory|store|file|log|cache|models?-dir)$/;

/** @param argv the arguments of the command. @returns undefined for an error of another kind */
export function fileFailure(reason: unknown, argv: readonly string[]): string | undefined {
  if (!(reason instanceof Error) || !("code" in reason) || typeof reason.code !== "string") return undefined;
  const remedy = remedies[reason.code];
  if (remedy === undefined) return undefined;
  const path = "path" in reason && typeof reason.path === "string" ? reason.path : undefined;
  const flags = flagsOf(argv);
  const named =
    path === undefined
      ? flags.filter(({ flag }) => outputs.test(flag))
      : flags.filter(({ value }) => isWithin(path, value)).slice(0, 1);
  const where = path ?? (named.length > 0 ? named.map(({ value }) => value).join(" or ") : "");
  const by = named.length > 0 ? ` (${named.map(({ flag, value }) => `${flag} ${value}`).join(", ")})` : "";
  const what = where === "" ? reason.message : `${where}${by}`;
  return `${what}: ${remedy} (${reason.code})`;
}

function flagsOf(argv: readonly string[]): readonly { readonly flag: string; readonly value: string }[] {
  return argv.flatMap((argument, index) => {
    if (!argument.startsWith("--")) return [];
    const [flag = "", ...rest] = argument.split("=");
    const value = rest.length > 0 ? rest.join("=") : argv[index + 1];
    return value === undefined || value === "" || value.startsWith("--") ? [] : [{ flag, value }];
  });
}

/** Whether the path is the one that was given, lies in it, or is the folder in which it should be created. */
function isWithin(path: string, value: string): boolean {
  const [at, given] = [resolve(path), resolve(value)];
  return at === given || at.startsWith(given + sep) || at === dirname(given);
}
