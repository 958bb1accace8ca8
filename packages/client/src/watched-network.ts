import {
  Credentials,
  grpcNetwork,
  loadTls,
  type Network,
  type TlsIdentity,
  watchTls,
} from "@palimpsest/wire";
import type { ResolvedConnectOptions } from "./config.js";

export interface WatchedNetwork extends Network {
  /** Ends the look at the files of its certificate. */
  readonly unwatch?: () => void;
}

/** gRPC with the token of a connection and its certificate, which is looked at for as long as it is open. */
export function networkOf({ token, tls }: ResolvedConnectOptions): WatchedNetwork {
  const credentials = Credentials.ofCluster(token, { tls: tls ? loadTls(tls) : undefined });
  const network = grpcNetwork({ credentials });
  if (!tls) return network;
  // A driver runs for weeks; a certificate that cannot be read leaves it the one that it has.
  const onChange = (next: TlsIdentity) => credentials.replaceTls(next);
  return { ...network, unwatch: watchTls({ folder: tls, onChange, onError: () => undefined }) };
}
