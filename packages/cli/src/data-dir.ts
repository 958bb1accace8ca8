import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where a head and a node of this user keep their files, unless told otherwise. */
export function defaultDataDir(part: "head" | "node"): string {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local/state");
  return resolve(process.env["PALIMPSEST_DATA_DIR"] ?? join(state, "palimpsest"), part);
}
