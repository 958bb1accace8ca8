import { BlockList, isIP } from "node:net";
import { shownValue } from "@palimpsest/std/input";
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit, type Response } from "undici";
import { EngineError } from "./error.js";

/** The variables that name the proxy for addresses of a protocol; the first that is set counts. */
const variables = {
  http: ["http_proxy", "HTTP_PROXY"],
  https: ["https_proxy", "HTTPS_PROXY"],
} as const;

/**
 * Makes a dispatcher that asks through the proxies of the environment: http_proxy, https_proxy, and no_proxy's exceptions.
 * @param url what is asked first; no_proxy's ranges of addresses, such as 10.0.0.0/8, are applied to it alone
 * @throws {EngineError} CONFIG_INVALID naming the variable that holds no URL of a proxy
 */
export function environmentAgent(url: string, options: Agent.Options = {}): Dispatcher {
  const proxies = { httpProxy: proxyFor("http"), httpsProxy: proxyFor("https") };
  // A proxy is asked for http:// addresses as such, because few proxies tunnel to other ports than 443.
  return isInExceptedRange(url)
    ? new Agent(options)
    : new EnvHttpProxyAgent({ ...options, ...proxies, proxyTunnel: false });
}

/** Returns the proxy that the environment names for an address, for messages; undefined if there is none. */
export function environmentProxy(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  const left = exceptions();
  if (left.includes("*") || left.includes(hostname) || isInExceptedRange(url)) return undefined;
  return proxyFor(protocol === "https:" ? "https" : "http") || undefined;
}

const exceptions = () => (process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "").split(/[\s,]+/);

function proxyFor(protocol: keyof typeof variables): string {
  const variable = variables[protocol].find((name) => process.env[name] !== undefined);
  const given = variable === undefined ? "" : (process.env[variable] ?? "").trim();
  if (given === "") return "";
  const url = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(url) || !/^(https?|socks5?):$/.test(new URL(url).protocol) || /\s|\w\/\//.test(given))
    throw new EngineError(
      "CONFIG_INVALID",
      `${variable}: must be the URL of a proxy, such as http://127.0.0.1:3128; it is ${shownValue(given.replace(/^(\w+:\/\/)?.*@/, "$1"))}; correct or unset it`,
    );
  return url;
}

/** Returns whether the host is an IP address in a range of no_proxy. The library knows only names and single addresses. */
function isInExceptedRange(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  if (isIP(host) === 0) return false;
  return exceptions().some((range) => {
    const [, address = "", bits = ""] = /^([\da-f.:]+)\/(\d+)$/i.exec(range) ?? [];
    if (isIP(address) === 0 || Number(bits) > (isIP(address) === 6 ? 128 : 32)) return false;
    const list = new BlockList();
    list.addSubnet(address, Number(bits), family(address));
    return list.check(host, family(host));
  });
}

const agents = new Map<string, Dispatcher>();

/** Fetches as `fetch` does, through the proxies of the environment: http_proxy, https_proxy, and no_proxy's exceptions. */
export async function proxiedFetch(url: string, request: RequestInit): Promise<Response> {
  const { origin } = new URL(url);
  const dispatcher = agents.get(origin) ?? environmentAgent(origin);
  agents.set(origin, dispatcher);
  return await fetch(url, { ...request, dispatcher });
}
