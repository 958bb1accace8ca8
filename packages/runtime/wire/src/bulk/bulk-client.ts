/**
 * Responsibility: the client's end of a bulk connection. It fills memory with ranges of objects without copying them on
 * the way.
 * Not responsible for: choosing the ranges, or recovering when the connection breaks.
 *
 * Invariants:
 * - BULKCLIENT-1. A read ends exactly once: when it is filled, when it is answered with an error, or when the
 *   connection ends. Its memory is not written to afterwards.
 * - BULKCLIENT-3. When the bytes of a value arrive with a checksum other than the one they were sent with, the
 *   connection ends and the read fails. Values need it because their random names, unlike hashes, do not verify their
 *   bytes.
 * - BULKCLIENT-2. The connection is closed when a request is outstanding and no bytes arrive for `stallMs`.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { PalimpsestError } from "../base/error.js";
import type { Role } from "../protocol/access.js";
import type { Credentials } from "../security/credentials.js";
import { checkServer, commonServerName, contextOf } from "../security/tls.js";
import {
  answerHeadBytes,
  answerHeadFrom,
  type BulkRequest,
  bulkChecksum,
  bulkProtocol,
  errorFrom,
  helloOf,
  requestOf,
} from "./bulk-frames.js";

const connectMs = 5_000;

/** Whose process serves bytes: a node those of objects, an actor its own. */
export type BulkServerRole = Extract<Role, "node" | "actor">;

/** A connection over which bytes of objects are read. */
export interface BulkConnection {
  /**
   * Fills all of `target`. Several reads may be outstanding at once. @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE
   */
  read(request: Omit<BulkRequest, "lengthBytes">, target: Uint8Array): Promise<void>;
  close(): void;
}

interface Read {
  readonly objectId: string;
  readonly target: Uint8Array;
  resolve(): void;
  reject(error: PalimpsestError): void;
}

export class BulkClient implements BulkConnection {
  readonly #address: string;
  readonly #socket: Socket;
  readonly #reads: Read[] = [];
  readonly #head = Buffer.alloc(answerHeadBytes);
  /** The destination of the next bytes. */
  #filling: { readonly kind: "head" | "bytes" | "error"; readonly target: Uint8Array; filled: number };
  /** The checksum of the bytes that are being filled. */
  #checksum: Uint8Array = new Uint8Array();
  #ended: PalimpsestError | undefined;

  /**
   * @param stallMs longest silence in milliseconds while a request is outstanding
   * @param server the role that the server's certificate must have
   */
  constructor(address: string, credentials: Credentials, stallMs: number, server: BulkServerRole = "node") {
    this.#address = address;
    this.#filling = { kind: "head", target: this.#head, filled: 0 };
    const at = address.lastIndexOf(":");
    const onread = {
      buffer: () => this.#filling.target.subarray(this.#filling.filled),
      callback: (bytes: number) => this.#took(bytes),
    };
    const to = {
      host: address.slice(0, at).replace(/^\[(.*)\]$/, "$1"),
      port: Number(address.slice(at + 1)),
      noDelay: true,
      onread,
    };
    const { tls } = credentials;
    if (tls === undefined) this.#socket = connect(to);
    else
      this.#socket = connectTls({
        ...{ ...to, ...contextOf(tls), ALPNProtocols: [bulkProtocol], servername: commonServerName },
        checkServerIdentity: (host, certificate) => checkServer(host, certificate, [server], tls.revoked),
      });
    const socket = this.#socket;
    // Only outstanding reads keep the process running.
    socket.unref();
    socket.setTimeout(connectMs);
    socket.once(tls === undefined ? "connect" : "secureConnect", () => {
      socket.setTimeout(stallMs);
      if ("alpnProtocol" in socket && socket.alpnProtocol !== bulkProtocol)
        this.#end("the server does not support bulk connections");
    });
    socket.on("timeout", () => {
      if (socket.connecting || this.#reads.length > 0) this.#end("the server sent nothing for too long");
    });
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => this.#end("the server closed it"));
    socket.write(helloOf(credentials.authorization));
  }

  read(request: Omit<BulkRequest, "lengthBytes">, target: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#socket.ref();
      this.#reads.push({ objectId: request.objectId, target, resolve, reject });
      this.#socket.write(requestOf({ ...request, lengthBytes: target.byteLength }));
    });
  }

  close(): void {
    this.#end("this process closed it");
  }

  /** Returns false to stop reading, when nobody waits for the bytes. */
  #took(bytes: number): boolean {
    if (this.#ended !== undefined) return false;
    this.#filling.filled += bytes;
    try {
      if (this.#filling.filled === this.#filling.target.byteLength) this.#filled();
    } catch (reason) {
      this.#end(PalimpsestError.from(reason).rawMessage);
    }
    return this.#ended === undefined;
  }

  #filled(): void {
    const { kind, target } = this.#filling;
    const read = this.#reads[0];
    if (read === undefined)
      throw new PalimpsestError("CODEC", "the server answered a request that was not made");
    if (kind === "head") {
      const { isError, lengthBytes, checksum } = answerHeadFrom(this.#head);
      if (!isError && lengthBytes !== read.target.byteLength)
        throw new PalimpsestError(
          "CODEC",
          `${lengthBytes} bytes arrived instead of ${read.target.byteLength}`,
        );
      this.#checksum = checksum;
      const next = isError ? new Uint8Array(lengthBytes) : read.target;
      this.#filling = { kind: isError ? "error" : "bytes", target: next, filled: 0 };
      return;
    }
    // BULKCLIENT-3
    if (kind === "bytes" && Buffer.compare(bulkChecksum(read.objectId, target), this.#checksum) !== 0)
      throw new PalimpsestError(
        "CODEC",
        `bytes of object ${read.objectId} were corrupted in the transfer: their checksum does not match`,
      );
    this.#filling = { kind: "head", target: this.#head, filled: 0 };
    this.#reads.shift();
    if (this.#reads.length === 0) this.#socket.unref();
    if (kind === "bytes") read.resolve();
    else read.reject(errorFrom(target));
  }

  #end(why: string): void {
    if (this.#ended !== undefined) return;
    const text = `the bulk connection to ${this.#address} ended: ${why}`;
    this.#ended = new PalimpsestError("UNAVAILABLE", text);
    // Bytes that still arrive are dropped (BULKCLIENT-1).
    this.#filling = { kind: "head", target: Buffer.alloc(answerHeadBytes), filled: 0 };
    this.#socket.destroy();
    for (const { reject } of this.#reads.splice(0)) reject(this.#ended);
  }
}
