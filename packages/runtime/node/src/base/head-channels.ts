/**
 * Responsibility: this node's two channels to the leading head, and what that head has reported about itself: its
 * cluster, its epoch, and whether it has only just begun to lead.
 * Not responsible for: the stream on the first channel (link.ts).
 */
import type { Clock } from "@palimpsest/std";
import { HeadConnection, type Network, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** The milliseconds that drivers have to upload bundles again that a new leader does not have. */
const headRecoveryMs = 30_000;

export class HeadChannels {
  readonly connection: HeadConnection;
  readonly #clock: Clock;
  #bulk: Peer;
  #clusterId = "";
  #epoch = 0;
  #recoversUntilMs = 0;

  constructor(network: Network, addresses: string, clock: Clock) {
    this.#clock = clock;
    this.connection = new HeadConnection(network, addresses);
    this.#bulk = network.connect(this.peer.address, "bulk");
    this.connection.onMoved(() => {
      this.#bulk.close();
      this.#bulk = network.connect(this.peer.address, "bulk");
    });
  }

  get peer(): Peer {
    return this.connection.peer;
  }

  /** The channel for bundles and the output of jobs, which must delay neither the link nor heartbeats. */
  get bulk(): Peer {
    return this.#bulk;
  }

  /** The addresses of all heads known by now, in the form of the configuration. */
  get addresses(): string {
    return this.connection.addresses;
  }

  /** The cluster's id; empty before the first registration. */
  get clusterId(): string {
    return this.#clusterId;
  }

  /** Whether the head has only just begun to lead. */
  get recovering(): boolean {
    return this.#clock.monotonicMs() < this.#recoversUntilMs;
  }

  registered({ clusterId, epoch }: proto.Registered.$Properties): void {
    this.#clusterId = clusterId ?? "";
    if ((epoch ?? 0) !== this.#epoch) this.#recoversUntilMs = this.#clock.monotonicMs() + headRecoveryMs;
    this.#epoch = epoch ?? 0;
  }

  close(): void {
    this.connection.close();
    this.#bulk.close();
  }
}
