import type { IncomingMessage } from "node:http";
import { Credentials, httpGuard, isLoopback, PalimpsestError, refuseOpenBind } from "@palimpsest/wire";
import { ApiError } from "./api-error.js";

export interface AccessOptions {
  readonly host: string;
  /** The token that clients send as `Authorization: Bearer`. Without one, everyone on this machine is admitted. */
  readonly token?: string | undefined;
  readonly tls: boolean;
  /** Allows listening beyond loopback without TLS, in a trusted network. */
  readonly insecure: boolean;
}

const shortestToken = 16;

/**
 * Decides which requests are admitted, by the same rules as the cluster's other ports: beyond loopback nothing
 * listens without encryption, and no request is admitted without a token.
 * @throws {PalimpsestError} CONFIG_INVALID naming the fix
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
      `PALIMPSEST_SERVE_TOKEN has ${token.length} characters, but needs at least ${shortestToken} to be unguessable; create one with \`openssl rand -hex 32\``,
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
 * Without a token only the address protects the model, so requests whose Host header names another machine are
 * refused: a web page could let its own name resolve to this machine.
 */
function refuseForeignHost(request: IncomingMessage): void {
  const { host = "" } = request.headers;
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(name)) return;
  const message = `host: is ${JSON.stringify(host)}, and without a token only names of this machine are answered; use 127.0.0.1 or localhost`;
  throw new ApiError("host_not_allowed", message);
}
