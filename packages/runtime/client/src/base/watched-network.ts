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
  /** Stops watching the files of its certificate. */
  readonly unwatch?: () => void;
}

/**
 * Creates a gRPC network with the token and certificate of a connection. The certificate's files are watched as long
 * as it is open.
 */
export function networkOf({ token, tls }: ResolvedConnectOptions): WatchedNetwork {
  const credentials = Credentials.ofCluster(token, { tls: tls ? loadTls(tls) : undefined });
  const network = grpcNetwork({ credentials, endsWithWork: true });
  if (!tls) return network;
  // A driver runs for weeks. If a new certificate cannot be read, it keeps the current one.
  const onChange = (next: TlsIdentity) => credentials.replaceTls(next);
  return { ...network, unwatch: watchTls({ folder: tls, onChange, onError: () => undefined }) };
}
