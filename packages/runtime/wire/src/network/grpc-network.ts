import { BulkClient } from "../bulk/bulk-client.js";
import { withEnvironmentFaults } from "../faults/environment-faults.js";
import type { ChannelKind } from "../protocol/channel-kind.js";
import type { CallRecord } from "../security/authorization.js";
import { Credentials } from "../security/credentials.js";
import { bulkChannelOptions, channelOptions, controlChannelOptions, GrpcPeer } from "./channel.js";
import type { Network } from "./network.js";
import { GrpcServer } from "./server.js";

/** Credentials of a network's calls, and what hears of them. */
export interface GrpcNetworkOptions {
  /** The credentials that this process presents and accepts, shared by all of its networks. */
  readonly credentials: Credentials;
  /** Called for each call that a server refuses, and for each audited call. */
  readonly onCall?: (record: CallRecord) => void;
  /** See Network.endsWithWork. */
  readonly endsWithWork?: boolean;
}

const optionsOfKind: Readonly<Record<ChannelKind, typeof channelOptions>> = {
  control: controlChannelOptions,
  calls: channelOptions,
  bulk: bulkChannelOptions,
};

/**
 * Creates the network of processes that talk gRPC over TCP, with the faults that PALIMPSEST_FAULTS describes. Given a
 * token alone, it uses no TLS and acts as a member of the cluster.
 */
export function grpcNetwork(
  options: GrpcNetworkOptions | { readonly token: string },
): Network & { readonly credentials: Credentials } {
  const { credentials, onCall, endsWithWork }: GrpcNetworkOptions =
    "token" in options ? { credentials: Credentials.ofCluster(options.token) } : options;
  const network = withEnvironmentFaults({
    connect: (address, kind = "control") =>
      new GrpcPeer(address, credentials, optionsOfKind[kind], kind, endsWithWork),
    createServer: () => new GrpcServer(credentials, onCall ? { onCall } : {}),
    connectBulk: (address, stallMs, server) => new BulkClient(address, credentials, stallMs, server),
  });
  return { ...network, credentials, endsWithWork: endsWithWork ?? false };
}
