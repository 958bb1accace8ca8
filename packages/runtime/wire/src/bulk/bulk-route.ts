/**
 * Responsibility: separates bulk connections from connections of calls, which arrive at the same port, and authorizes
 * them.
 *
 * Invariants:
 * - BULKROUTE-1. A bulk connection needs what a call of the access "bytes" needs: a token and, under TLS, a
 *   certificate.
 */
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { access } from "../protocol/access.js";
import { callerWith, type Proof } from "../security/authorization.js";
import type { Credentials } from "../security/credentials.js";
import { bulkProtocol } from "./bulk-frames.js";
import { type BulkReader, BulkServer } from "./bulk-server.js";

export interface BulkRouteDeps {
  readonly credentials: Credentials;
  readonly open: () => BulkReader;
  /** Receives each connection that carries gRPC calls. */
  readonly calls: (socket: Socket) => void;
  /** Called with the credentials of each admitted connection. */
  readonly onAdmitted: (peer: string, proof: Proof) => void;
}

export class BulkRoute {
  readonly #deps: BulkRouteDeps;
  readonly #sockets = new Set<Socket>();

  constructor(deps: BulkRouteDeps) {
    this.#deps = deps;
  }

  /** Routes one connection: without TLS by its first byte, under TLS by the protocol that the client named. */
  take(socket: Socket): void {
    if (this.#deps.credentials.tls !== undefined) {
      this.#route(socket, (socket as TLSSocket).alpnProtocol === bulkProtocol);
      return;
    }
    const onError = () => void socket.destroy();
    socket.once("error", onError);
    socket.once("readable", () => {
      const begin = socket.read() as Buffer | null;
      // The connection ended before it sent anything.
      if (begin === null) return;
      socket.unshift(begin);
      socket.off("error", onError);
      this.#route(socket, begin[0] === 0);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #route(socket: Socket, isBulk: boolean): void {
    const { credentials, open, calls, onAdmitted } = this.#deps;
    if (!isBulk) {
      calls(socket);
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    new BulkServer(socket, open(), (authorization) => {
      const certificate =
        "getPeerCertificate" in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
      callerWith(credentials, "bulk transfers of objects", access.bytes, { authorization, certificate });
      onAdmitted(peer, { authorization, serial: credentials.tls && certificate?.serialNumber.toUpperCase() });
    });
  }
}
