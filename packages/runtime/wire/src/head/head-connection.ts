/**
 * Responsibility: the channel to the leading head of the cluster. It knows the addresses of all heads and moves on when
 * the current one does not serve.
 * Not responsible for: calls, their retries and their deadlines (its users).
 *
 * Invariants:
 * - HEADS-1. There is one channel at a time. A move closes it and notifies every listener, which then reopens its
 *   streams.
 * - HEADS-2. A failure counts only against the channel on which it happened: many calls that fail together move once.
 * - HEADS-3. The addresses that the user gave are never forgotten. Those that a head sent are replaced by the next
 *   list.
 */
import type { Network, Peer } from "../network/network.js";

/** The addresses of a cluster's heads, and the connection to the one that serves. */
export class HeadConnection {
  readonly #network: Network;
  readonly #given: readonly string[];
  readonly #listeners = new Set<() => void>();
  #addresses: readonly string[];
  #peer: Peer;
  #closed = false;

  /** @param addresses host:port of each head, separated by commas */
  constructor(network: Network, addresses: string) {
    this.#network = network;
    this.#given = addresses
      .split(",")
      .map((address) => address.trim())
      .filter((address) => address !== "");
    this.#addresses = this.#given;
    this.#peer = network.connect(this.#given[0] ?? "");
  }

  /** The current channel. Do not keep it: a move closes it. */
  get peer(): Peer {
    return this.#peer;
  }

  /** Every known address, the current one first, joined by commas as the constructor takes them. */
  get addresses(): string {
    const present = this.#peer.address;
    return [present, ...this.#addresses.filter((address) => address !== present)].join(",");
  }

  /** Returns whether there is another address to move to. */
  get hasOthers(): boolean {
    return this.#addresses.length > 1;
  }

  /** Records the list of addresses that a head sent. */
  learn(addresses: readonly string[] | null | undefined): void {
    if (!addresses || addresses.length === 0) return;
    this.#addresses = [...new Set([...this.#given, ...addresses])];
  }

  /**
   * Reports that the head behind this channel does not serve. Moves to the next address, unless that has happened
   * already.
   */
  failed(peer: Peer): void {
    if (this.#closed || peer !== this.#peer || !this.hasOthers) return;
    const at = this.#addresses.indexOf(peer.address);
    const next = this.#addresses[(at + 1) % this.#addresses.length];
    if (next === undefined || next === peer.address) return;
    this.#peer = this.#network.connect(next);
    peer.close();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls back after each move. The returned function removes the listener. */
  onMoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#peer.close();
  }
}
