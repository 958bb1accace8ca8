import { type Dispatcher, fetch, type RequestInit, type Response } from "undici";
import { environmentAgent } from "./environment-proxies.js";

const agents = new Map<string, Dispatcher>();

/** Fetches as `fetch` does, through the proxies of the environment: http_proxy, https_proxy, and no_proxy's exceptions. */
export async function proxiedFetch(url: string, request: RequestInit): Promise<Response> {
  const { origin } = new URL(url);
  const dispatcher = agents.get(origin) ?? environmentAgent(origin);
  agents.set(origin, dispatcher);
  return await fetch(url, { ...request, dispatcher });
}
