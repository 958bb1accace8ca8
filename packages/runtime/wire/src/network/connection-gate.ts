/**
 * Responsibility: limits connections that have not yet made a call with valid credentials: how many one address may
 * have, and how long each may stay so. A connection whose TLS handshake does not finish is one of them.
 * Not responsible for: the total number of connections (server.ts), or credentials (authorization.ts).
 *
 * Invariants:
 * - GATE-1. An address has at most `perAddress` unproven connections. One more is closed at once.
 * - GATE-2. A connection on which no call was admitted within `firstCallMs` is closed.
 * - GATE-3. Time during which this process was computing and could not read does not count against a connection.
 * - GATE-4. When the server ends, so do its unproven connections: grpc-js does not know of connections in their
 *   handshake.
 */
import type { Socket } from "node:net";

const slices = 10;

export interface ConnectionGateOptions {
  /** The limit for one remote address. It is generous because many programs on one machine may start at once. */
  readonly perAddress: number;
  readonly firstCallMs: number;
}

interface Unproven {
  readonly socket: Socket;
  slicesLeft: number;
}

export class ConnectionGate {
  readonly #options: ConnectionGateOptions;
  /** Unproven connections, keyed by host:port of the remote end. */
  readonly #unproven = new Map<string, Unproven>();
  readonly #ofAddress = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #tickedAt = 0;

  constructor(options: ConnectionGateOptions) {
    this.#options = options;
  }

  /** Returns whether the connection may stay for now. Otherwise it is closed. */
  admit(socket: Socket): boolean {
    const { remoteAddress: address, remotePort: port } = socket;
    // The connection ended before it was accepted.
    if (address === undefined) return false;
    const known = this.#ofAddress.get(address) ?? 0;
    if (known >= this.#options.perAddress) {
      socket.destroy();
      return false;
    }
    const peer = `${address}:${port}`;
    this.#ofAddress.set(address, known + 1);
    this.#unproven.set(peer, { socket, slicesLeft: slices });
    socket.once("close", () => this.#forget(peer, socket));
    this.#watch();
    return true;
  }

  /** Records that a call on this connection was admitted. */
  proven(peer: string): void {
    const socket = this.#unproven.get(peer)?.socket;
    if (socket) this.#forget(peer, socket);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    // GATE-4
    for (const { socket } of this.#unproven.values()) socket.destroy();
    this.#unproven.clear();
    this.#ofAddress.clear();
  }

  #forget(peer: string, socket: Socket): void {
    if (this.#unproven.get(peer)?.socket !== socket) return;
    this.#unproven.delete(peer);
    const address = peer.slice(0, peer.lastIndexOf(":"));
    const left = (this.#ofAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
    if (this.#unproven.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const sliceMs = this.#options.firstCallMs / slices;
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const lateMs = now - this.#tickedAt - sliceMs;
      this.#tickedAt = now;
      // GATE-3
      if (lateMs > sliceMs) return;
      for (const connection of this.#unproven.values()) {
        if (--connection.slicesLeft < 0) connection.socket.destroy();
      }
    }, sliceMs).unref();
  }
}
