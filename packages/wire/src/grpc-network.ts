import { bulkChannelOptions, channelOptions, controlChannelOptions, GrpcPeer } from "./channel.js";
import { withEnvironmentFaults } from "./faults/environment-faults.js";
import type { ChannelKind, Network } from "./network.js";
import { GrpcServer } from "./server.js";

export interface GrpcNetworkOptions {
  /** The cluster's secret, sent with every call and asked of every caller. */
  readonly token: string;
}

const optionsOfKind: Readonly<Record<ChannelKind, typeof channelOptions>> = {
  control: controlChannelOptions,
  calls: channelOptions,
  bulk: bulkChannelOptions,
};

/** The network of processes that talk gRPC over TCP, with the faults that PALIMPSEST_FAULTS asks for. */
export function grpcNetwork({ token }: GrpcNetworkOptions): Network {
  return withEnvironmentFaults({
    connect: (address, kind = "control") => new GrpcPeer(address, token, optionsOfKind[kind]),
    createServer: () => new GrpcServer(token),
  });
}
