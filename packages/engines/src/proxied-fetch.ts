import { EnvHttpProxyAgent, fetch, type RequestInit, type Response } from "undici";

let agent: EnvHttpProxyAgent | undefined;

/** Fetches as `fetch` does, through the proxies of the environment: http_proxy, https_proxy, and no_proxy's exceptions. */
export async function proxiedFetch(url: string, request: RequestInit): Promise<Response> {
  // A proxy is asked for http:// addresses as such, because few proxies tunnel to other ports than 443.
  agent ??= new EnvHttpProxyAgent({ proxyTunnel: false });
  return await fetch(url, { ...request, dispatcher: agent });
}
