import { shownValue } from "@palimpsest/std/input";
import { EnvHttpProxyAgent, fetch, type RequestInit, type Response } from "undici";
import { EngineError } from "./error.js";

let agent: EnvHttpProxyAgent | undefined;

/** Fetches as `fetch` does, through the proxies of the environment: http_proxy, https_proxy, and no_proxy's exceptions. */
export async function proxiedFetch(url: string, request: RequestInit): Promise<Response> {
  // A proxy is asked for http:// addresses as such, because few proxies tunnel to other ports than 443.
  for (const name of ["http_proxy", "https_proxy"])
    for (const variable of [name, name.toUpperCase()]) {
      const proxy = process.env[variable];
      if (proxy && !URL.canParse(proxy))
        throw new EngineError(
          "CONFIG_INVALID",
          `${variable}: must be the URL of a proxy, such as http://127.0.0.1:3128; it is ${shownValue(proxy)}`,
        );
    }
  agent ??= new EnvHttpProxyAgent({ proxyTunnel: false });
  return await fetch(url, { ...request, dispatcher: agent });
}
