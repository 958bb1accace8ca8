import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ModelCache } from "@palimpsest/trainer";

/** The folder of downloaded models, and the hub that they come from: PALIMPSEST_CACHE, HF_ENDPOINT, HF_TOKEN. */
export function modelCache(environment: NodeJS.ProcessEnv = process.env): ModelCache {
  const cache = environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const endpoint = environment["HF_ENDPOINT"];
  const token = environment["HF_TOKEN"];
  return {
    cacheDir: resolve(environment["PALIMPSEST_CACHE"] ?? join(cache, "palimpsest")),
    ...(endpoint ? { endpoint } : {}),
    ...(token ? { token } : {}),
  };
}
