import type { ModelCache } from "@palimpsest/trainer";
import { cacheFolder } from "@palimpsest/wire";

const proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/**
 * The folder of downloaded models, and the hub that they come from: PALIMPSEST_CACHE, HF_ENDPOINT, HF_TOKEN. Where the
 * environment names a proxy, the hub is asked through it.
 */
export function modelCache(environment: NodeJS.ProcessEnv = process.env): ModelCache {
  const endpoint = environment["HF_ENDPOINT"];
  const token = environment["HF_TOKEN"];
  const proxied: ModelCache["fetch"] = async (url, request) =>
    await (await import("@palimpsest/engines")).proxiedFetch(url, request);
  return {
    cacheDir: cacheFolder(environment),
    ...(endpoint ? { endpoint } : {}),
    ...(token ? { token } : {}),
    ...(proxyVariables.some((name) => environment[name]) ? { fetch: proxied } : {}),
  };
}
