import { homedir } from "node:os";
import { join } from "node:path";
import { shownValue } from "@palimpsest/std/input";
import type { ModelCache } from "@palimpsest/trainer";
import { cacheFolder, PalimpsestError } from "@palimpsest/wire";

const proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/**
 * The folder of downloaded models, that of Hugging Face's own programs, and the hub that they come from:
 * PALIMPSEST_CACHE, HF_HUB_CACHE or HF_HOME, HF_ENDPOINT, HF_TOKEN. Where the environment names a proxy, the hub is
 * asked through it.
 */
export function modelCache(environment: NodeJS.ProcessEnv = process.env): ModelCache {
  const endpoint = environment["HF_ENDPOINT"];
  if (endpoint && !/^https?:\/\/[^/]/.test(endpoint))
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `HF_ENDPOINT is ${shownValue(endpoint)}: give the URL of a hub, such as https://huggingface.co, or unset it`,
    );
  const token = environment["HF_TOKEN"];
  const proxied: ModelCache["fetch"] = async (url, request) =>
    await (await import("@palimpsest/engines")).proxiedFetch(url, request);
  const home = environment["HF_HOME"] || join(homedir(), ".cache/huggingface");
  return {
    cacheDir: cacheFolder(environment),
    hubCacheDir: environment["HF_HUB_CACHE"] || join(home, "hub"),
    ...(endpoint ? { endpoint } : {}),
    ...(token ? { token } : {}),
    ...(proxyVariables.some((name) => environment[name]) ? { fetch: proxied } : {}),
  };
}
