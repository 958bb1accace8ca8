import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** Default folder for the lasting data of this user's programs. */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const state = baseFolder(environment["XDG_STATE_HOME"], ".local/state");
  return resolve(environment["PALIMPSEST_DATA_DIR"] || join(state, "palimpsest"));
}

/** Default folder for what can be fetched or computed again. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const cache = baseFolder(environment["XDG_CACHE_HOME"], ".cache");
  return resolve(environment["PALIMPSEST_CACHE"] || join(cache, "palimpsest"));
}

/** Reads a variable of the XDG Base Directory Specification, by which empty is unset and a relative path is ignored. */
function baseFolder(given: string | undefined, inHome: string): string {
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), inHome);
}

export function defaultDataDir(part: "head" | "node"): string {
  return join(stateFolder(), part);
}

/**
 * Makes the path of a flag absolute, because other processes that receive it, such as drivers of jobs, run in other
 * folders.
 */
export function absolutePath(path: string): string {
  return resolve(path);
}
