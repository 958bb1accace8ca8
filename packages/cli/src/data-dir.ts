import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Default folder for the lasting data of this user's programs. */
export function stateFolder(): string {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state");
  return resolve(process.env["PALIMPSEST_DATA_DIR"] ?? join(state, "palimpsest"));
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
