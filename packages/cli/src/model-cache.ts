import type { ModelCache } from "@palimpsest/trainer";
import { cacheFolder } from "@palimpsest/wire";

/** The folder of downloaded models, and the hub that they come from: PALIMPSEST_CACHE, HF_ENDPOINT, HF_TOKEN. */
export function modelCache(environment: NodeJS.ProcessEnv = process.env): ModelCache {
  const endpoint = environment["HF_ENDPOINT"];
  const token = environment["HF_TOKEN"];
  return {
    cacheDir: cacheFolder(environment),
    ...(endpoint ? { endpoint } : {}),
    ...(token ? { token } : {}),
  };
}
