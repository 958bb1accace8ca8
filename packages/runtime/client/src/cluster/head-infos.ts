/** The heads of a cluster, the one that leads and those that wait, each asked for its version. */
import {
  headService,
  type Network,
  PalimpsestError,
  type ProtocolRange,
  protocolsFrom,
} from "@palimpsest/wire";
import type { ClusterInfo } from "../base/views.js";

const askMs = 5_000;

/** One head of a cluster. */
export interface HeadInfo {
  /** host:port */
  readonly address: string;
  readonly leads: boolean;
  /** Whether it has answered. */
  readonly isReachable: boolean;
  /** Version of its software; empty if it named none. */
  readonly version: string;
  readonly protocols: ProtocolRange;
  /** Version in which it reads and writes the rows of its state. */
  readonly rowVersion: number;
}

export async function headInfos(network: Network, leader: ClusterInfo): Promise<readonly HeadInfo[]> {
  const [own = "", ...others] = leader.headAddresses;
  const { version, protocols, rowVersion } = leader;
  return [
    { address: own, leads: true, isReachable: true, version, protocols, rowVersion },
    ...(await Promise.all(others.map((address) => standbyInfo(network, address)))),
  ];
}

/** A standby refuses every call, and says in its refusal what it is. */
async function standbyInfo(network: Network, address: string): Promise<HeadInfo> {
  const peer = network.connect(address);
  try {
    const { version, protocols, rowVersion } = await peer.unary(
      headService.getCluster,
      {},
      { timeoutMs: askMs },
    );
    const known = {
      version: version ?? "",
      protocols: protocolsFrom(protocols),
      rowVersion: rowVersion || 1,
    };
    return { address, leads: false, isReachable: true, ...known };
  } catch (reason) {
    const { details, rawMessage } = PalimpsestError.from(reason);
    const { version = "", minProtocol, maxProtocol, rowVersion = 1 } = details;
    return {
      address,
      leads: false,
      isReachable: rawMessage.includes("this head is a standby"),
      version: String(version),
      protocols: protocolsFrom({ min: Number(minProtocol ?? 0), max: Number(maxProtocol ?? 0) }),
      rowVersion: Number(rowVersion),
    };
  } finally {
    peer.close();
  }
}
