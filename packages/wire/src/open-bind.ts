import { PalimpsestError } from "./error.js";
import { isLoopback } from "./server.js";

/**
 * Refuses to listen where others reach it without encryption.
 * @throws {PalimpsestError} CONFIG_INVALID that names the fix
 */
export function refuseOpenBind(
  host: string,
  how: { readonly tls: boolean; readonly insecure: boolean },
): void {
  if (isLoopback(host) || how.tls || how.insecure) return;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `host ${host} is reachable from the network, and tokens and data would travel unencrypted: make certificates with ` +
      "`palimpsest certs init` and give --tls FOLDER, or type --insecure where the network itself is trusted",
  );
}
