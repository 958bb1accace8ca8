import type { CallRecord } from "./authorization.js";
import { BulkClient } from "./bulk/bulk-client.js";
import { bulkChannelOptions, channelOptions, controlChannelOptions, GrpcPeer } from "./channel.js";
import { Credentials } from "./credentials.js";
import { withEnvironmentFaults } from "./faults/environment-faults.js";
import type { ChannelKind, Network } from "./network.js";
import { GrpcServer } from "./server.js";

export interface GrpcNetworkOptions {
  /** What this process proves itself with and whom it believes; shared by all its networks. */
  readonly credentials: Credentials;
  /** Told of each call that a server refuses, and of each audited one. */
  readonly onCall?: (record: CallRecord) => void;
}

const optionsOfKind: Readonly<Record<ChannelKind, typeof channelOptions>> = {
  control: controlChannelOptions,
  calls: channelOptions,
  bulk: bulkChannelOptions,
};

/**
 * The network of processes that talk gRPC over TCP, with the faults that PALIMPSEST_FAULTS asks for. A token alone
 * means: without TLS, as a member of the cluster.
 */
export function grpcNetwork(
  options: GrpcNetworkOptions | { readonly token: string },
): Network & { readonly credentials: Credentials } {
  const { credentials, onCall } =
    "token" in options
      ? { credentials: Credentials.ofCluster(options.token), onCall: undefined }
      : { onCall: undefined, ...options };
  const network = withEnvironmentFaults({
    connect: (address, kind = "control") => new GrpcPeer(address, credentials, optionsOfKind[kind], kind),
    createServer: () => new GrpcServer(credentials, onCall ? { onCall } : {}),
    connectBulk: (address, stallMs) => new BulkClient(address, credentials, stallMs),
  });
  return { ...network, credentials };
}
