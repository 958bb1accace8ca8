import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { closestWord, systemFailure } from "@palimpsest/std/input";
import { outputFlags } from "../input/output-paths.js";
import { pathFailure } from "../input/path-failure.js";

/**
 * Says what to do about an error of the operating system: which path or address it concerns, which flag named it, and the
 * remedy.
 * @param argv the arguments of the command. @returns undefined for an error of another kind
 */
export function fileFailure(reason: unknown, argv: readonly string[]): string | undefined {
  const failure = systemFailure(reason);
  if (failure === undefined || !(reason instanceof Error)) return undefined;
  const { code, remedy, where } = failure;
  const flags = flagsOf(argv);
  const named =
    where === undefined
      ? // An error of a full disk does not say which file it was.
        flags.filter(({ flag }) => outputFlags.test(flag))
      : flags.filter(({ value }) => isNamed(where, value)).slice(0, 1);
  const at = where ?? named.map(({ value }) => value).join(" or ");
  const by = named.length > 0 ? ` (${named.map(({ flag, value }) => `${flag} ${value}`).join(", ")})` : "";
  const what = at === "" ? reason.message : `${at}${by}`;
  return `${what}: ${failure.what}: ${remedy} (${code})${meantPath(reason)}`;
}

/** Says which path was probably meant where an error, or what caused it, is that none is there; else nothing. */
export function meantPath(reason: unknown): string {
  const failure = pathFailure(reason);
  return failure?.code === "ENOENT" && failure.where !== undefined ? nearPath(failure.where) : "";
}

/** Says which path was probably meant: of the first folder or file that is missing, what has a similar name beside it. */
function nearPath(path: string): string {
  const whole = resolve(path);
  const folder = dirname(whole);
  if (folder === whole) return "";
  if (!existsSync(folder)) return nearPath(folder);
  try {
    const meant = closestWord(basename(whole), readdirSync(folder));
    return meant === undefined ? "" : `; did you mean ${join(dirname(path), meant)}?`;
  } catch {
    return "";
  }
}

function flagsOf(argv: readonly string[]): readonly { readonly flag: string; readonly value: string }[] {
  return argv.flatMap((argument, index) => {
    if (!argument.startsWith("--")) return [];
    const [flag = "", ...rest] = argument.split("=");
    const value = rest.length > 0 ? rest.join("=") : argv[index + 1];
    return value === undefined || value === "" || value.startsWith("--") ? [] : [{ flag, value }];
  });
}

/** Whether it is the path or the port that was given, lies in it, or is the folder in which it should be created. */
function isNamed(where: string, value: string): boolean {
  if (where.endsWith(`:${value}`) || (value.includes(":") && value.endsWith(where))) return true;
  const [at, given] = [resolve(where), resolve(value)];
  return at === given || at.startsWith(given + sep) || at === dirname(given);
}
