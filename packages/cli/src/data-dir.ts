import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where programs of this user keep what lasts, unless told otherwise. */
export function stateFolder(): string {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state");
  return resolve(process.env["PALIMPSEST_DATA_DIR"] ?? join(state, "palimpsest"));
}

export function defaultDataDir(part: "head" | "node"): string {
  return join(stateFolder(), part);
}

/** Of a flag: what the path names must not depend on the folder of the processes that are told it, such as drivers of jobs. */
export function absolutePath(path: string): string {
  return resolve(path);
}
