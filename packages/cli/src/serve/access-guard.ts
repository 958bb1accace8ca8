import type { IncomingMessage } from "node:http";
import { Credentials, httpGuard, isLoopback, PalimpsestError, refuseOpenBind } from "@palimpsest/wire";
import { ApiError } from "./api-error.js";

export interface AccessOptions {
  readonly host: string;
  /** Clients send it as `Authorization: Bearer`; absent: everybody on this machine is let in. */
  readonly token?: string | undefined;
  readonly tls: boolean;
  /** Beyond loopback without TLS, in a network that is trusted. */
  readonly insecure: boolean;
}

const shortestToken = 16;

/**
 * Decides who may ask. The rules of the cluster's other ports: beyond loopback nothing listens without encryption, and
 * nobody is let in without a token.
 * @throws {PalimpsestError} CONFIG_INVALID that names the fix
 */
export function accessGuard(options: AccessOptions): (request: IncomingMessage) => void {
  const { host, token } = options;
  refuseOpenBind(host, options);
  if (token === undefined) {
    if (!isLoopback(host)) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `host ${host} is reachable from the network: set PALIMPSEST_SERVE_TOKEN to the token that clients send as their API key`,
      );
    }
    return refuseForeignHost;
  }
  if (token.length < shortestToken) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `PALIMPSEST_SERVE_TOKEN has ${token.length} characters, and one that cannot be guessed has ${shortestToken} or more; make it with \`openssl rand -hex 32\``,
    );
  }
  const guard = httpGuard(Credentials.ofCluster(token));
  return (request) => {
    if (guard.refuse(request) === undefined) return;
    const message = "authorization: the token is missing or unknown; send `Authorization: Bearer TOKEN`";
    throw new ApiError("invalid_api_key", message);
  };
}

/**
 * Without a token the address is all that protects the model: a web page that makes its own name point to this machine
 * is distinguished by the name that it was asked under.
 */
function refuseForeignHost(request: IncomingMessage): void {
  const { host = "" } = request.headers;
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(name)) return;
  const message = `host: is ${JSON.stringify(host)}, and without a token only names of this machine are answered; use 127.0.0.1 or localhost`;
  throw new ApiError("host_not_allowed", message);
}
