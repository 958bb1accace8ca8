/** Channels to nodes, which are opened when a page first needs them and kept for the next one. */
import type { Network, Peer } from "@palimpsest/wire";

const maxPeers = 100;

export class NodePeers {
  readonly #network: Network;
  /** The least recently used one comes first. */
  readonly #peers = new Map<string, Peer>();

  constructor(network: Network) {
    this.#network = network;
  }

  /** @param address host:port of a node's services */
  at(address: string): Peer {
    const peer = this.#peers.get(address) ?? this.#network.connect(address);
    this.#peers.delete(address);
    this.#peers.set(address, peer);
    for (const [oldest, unused] of this.#peers) {
      if (this.#peers.size <= maxPeers) break;
      this.#peers.delete(oldest);
      unused.close();
    }
    return peer;
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }
}
