/** The default folders of a user's programs. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Default folder for the lasting data of this user's programs. */
export function stateFolder(environment: Environment = process.env): string {
  const state = baseFolder(environment["XDG_STATE_HOME"], ".local/state");
  return resolve(environment["PALIMPSEST_DATA_DIR"] || join(state, "palimpsest"));
}

/** Default folder for what can be fetched or computed again. */
export function cacheFolder(environment: Environment = process.env): string {
  const cache = baseFolder(environment["XDG_CACHE_HOME"], ".cache");
  return resolve(environment["PALIMPSEST_CACHE"] || join(cache, "palimpsest"));
}

/** Default folder for this user's settings. */
export function configFolder(environment: Environment = process.env): string {
  return resolve(join(baseFolder(environment["XDG_CONFIG_HOME"], ".config"), "palimpsest"));
}

/** Reads a variable of the XDG Base Directory Specification, by which empty is unset and a relative path is ignored. */
function baseFolder(given: string | undefined, inHome: string): string {
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), inHome);
}
