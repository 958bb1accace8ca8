import { PalimpsestError } from "../base/error.js";
import { isLoopback } from "./server.js";

/**
 * Refuses to listen on an address that others can reach without encryption.
 * @throws {PalimpsestError} CONFIG_INVALID naming the fix
 */
export function refuseOpenBind(
  host: string,
  how: { readonly tls: boolean; readonly insecure: boolean },
): void {
  if (isLoopback(host) || how.tls || how.insecure) return;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `host ${host} is reachable from the network, and tokens and data would travel unencrypted: make certificates with ` +
      "`palimpsest certs init` and pass --tls FOLDER, or pass --insecure where the network itself is trusted",
  );
}
