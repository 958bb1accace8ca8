/**
 * Responsibility: closes the connections of a server whose peers it would now refuse. Streams stay open for days, and a
 * call is checked only when it begins.
 *
 * Invariants:
 * - CONNECTIONS-1. When a certificate is revoked, every connection that was made with it is closed.
 * - CONNECTIONS-2. Without TLS, when a token is revoked at once, every connection on which no other token was presented
 *   is closed. Under TLS the certificate vouches for the connection, and its owner is sent the new token.
 * - CONNECTIONS-3. A caller that revokes its own token is answered first: its connection is closed `readAnswerMs` after
 *   that answer, and in any case `longestAnswerMs` after the call began.
 */
import type { Socket } from "node:net";
import type { Proof } from "../security/authorization.js";
import type { Credentials } from "../security/credentials.js";

interface Connection {
  readonly socket: Socket;
  readonly authorizations: Set<string>;
  serial: string | undefined;
  /** Number of calls whose answers are outstanding (CONNECTIONS-3). */
  answers: number;
}

/** Replacing the passwords of Redis takes several of its answers, each of which has a deadline of 5 s. */
const longestAnswerMs = 30_000;
/**
 * gRPC drops an answer that it reads together with the end of its connection, so the connection stays open this long.
 */
const readAnswerMs = 2_000;

/** How many of the newest tokens of one connection are remembered. It has one, and another one after each rotation. */
const maxAuthorizations = 16;

export class Connections {
  readonly #credentials: Credentials;
  readonly #byPeer = new Map<string, Connection>();
  /** Those who wait for the end of all connections. */
  readonly #awaited: (() => void)[] = [];

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  opened(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#byPeer.set(peer, { socket, authorizations: new Set(), serial: undefined, answers: 0 });
    socket.once("close", () => {
      this.#byPeer.delete(peer);
      if (this.#byPeer.size === 0) for (const end of this.#awaited.splice(0)) end();
    });
  }

  /** Calls back when no connection is left. */
  onEnded(callback: () => void): void {
    if (this.#byPeer.size === 0) callback();
    else this.#awaited.push(callback);
  }

  admitted(peer: string, { authorization, serial }: Proof): void {
    const connection = this.#byPeer.get(peer);
    if (connection === undefined) return;
    connection.serial = serial;
    const { authorizations } = connection;
    authorizations.delete(authorization);
    authorizations.add(authorization);
    if (authorizations.size <= maxAuthorizations) return;
    for (const oldest of authorizations) {
      authorizations.delete(oldest);
      break;
    }
  }

  /**
   * Records that a call which can revoke its own token is in progress. The returned function records that it is
   * answered.
   */
  awaitAnswer(peer: string): () => void {
    const connection = this.#byPeer.get(peer);
    if (connection === undefined) return () => undefined;
    connection.answers++;
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      connection.answers--;
      this.#cutIfRefused(connection);
    };
    const timer = setTimeout(end, longestAnswerMs).unref();
    return () => {
      clearTimeout(timer);
      setTimeout(end, readAnswerMs).unref();
    };
  }

  cutRefused(): void {
    for (const connection of [...this.#byPeer.values()]) this.#cutIfRefused(connection);
  }

  #cutIfRefused(connection: Connection): void {
    // Revoking a certificate ends its connections at once, whatever calls are outstanding.
    const answering = connection.answers > 0 && this.#credentials.tls === undefined;
    if (!answering && this.#isRefused(connection)) connection.socket.destroy();
  }

  #isRefused({ authorizations, serial }: Connection): boolean {
    const { tls } = this.#credentials;
    if (tls !== undefined) return serial !== undefined && tls.revoked.has(serial);
    if (authorizations.size === 0) return false;
    return [...authorizations].every((authorization) => !this.#credentials.identify(authorization));
  }
}
