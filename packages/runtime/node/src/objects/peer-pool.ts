/**
 * Responsibility: channels to other nodes, shared while in use and closed when idle.
 *
 * Invariants:
 * - POOL-1. There is one channel per address. It is closed idleMs after its last user has left, never while in use.
 */
import type { Clock } from "@palimpsest/std";
import type { Network, Peer } from "@palimpsest/wire";

const idleMs = 30_000;

interface Channel {
  readonly peer: Peer;
  users: number;
  cancelClose: (() => void) | undefined;
}

export class PeerPool {
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #channels = new Map<string, Channel>();

  constructor(network: Network, clock: Clock) {
    this.#network = network;
    this.#clock = clock;
  }

  get size(): number {
    return this.#channels.size;
  }

  async use<T>(address: string, work: (peer: Peer) => Promise<T>): Promise<T> {
    let channel = this.#channels.get(address);
    if (channel === undefined) {
      channel = { peer: this.#network.connect(address, "bulk"), users: 0, cancelClose: undefined };
      this.#channels.set(address, channel);
    }
    channel.cancelClose?.();
    channel.users++;
    try {
      return await work(channel.peer);
    } finally {
      if (--channel.users === 0) this.#closeWhenIdle(address, channel);
    }
  }

  close(): void {
    for (const { peer, cancelClose } of this.#channels.values()) {
      cancelClose?.();
      peer.close();
    }
    this.#channels.clear();
  }

  #closeWhenIdle(address: string, channel: Channel): void {
    if (this.#channels.get(address) !== channel) return;
    channel.cancelClose = this.#clock.after(idleMs, () => {
      this.#channels.delete(address);
      channel.peer.close();
    });
  }
}
