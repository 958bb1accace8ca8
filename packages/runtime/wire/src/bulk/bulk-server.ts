/**
 * Responsibility: the server's end of one bulk connection. It authorizes the client, answers its requests in order, and
 * sends as fast as the client reads.
 * Not responsible for: where the bytes come from (BulkReader).
 *
 * Invariants:
 * - BULKSERVER-1. Nothing is read for a client before its authorization was accepted.
 * - BULKSERVER-2. At most two answers of a connection are in memory: one is being sent while the next is read. When a
 *   client has more than `maxWaiting` requests outstanding, no more are read from it until some are answered.
 * - BULKSERVER-3. A client that reads nothing for `stallMs`, or requests nothing for `idleMs`, is disconnected.
 */
import type { Socket } from "node:net";
import { answerHead, type BulkRequest, BulkRequests, bulkChecksum, errorBytes } from "./bulk-frames.js";

const maxWaiting = 64;
const stallMs = 30_000;
const idleMs = 60_000;

/** The bytes that answer one request. Call release() once they have been sent. */
export interface BulkBytes {
  readonly bytes: Uint8Array;
  release(): void;
}

/** Reads objects on behalf of one connection. */
export interface BulkReader {
  /** Returns exactly as many bytes as were requested. @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE */
  read(request: BulkRequest): Promise<BulkBytes>;
  /** Called once, when the connection has ended and no read is in progress. */
  close(): Promise<void>;
}

export class BulkServer {
  readonly #socket: Socket;
  readonly #reader: BulkReader;
  readonly #admit: (authorization: string) => void;
  readonly #requests = new BulkRequests();
  readonly #waiting: BulkRequest[] = [];
  #isAdmitted = false;
  #isRefused = false;
  #wake: (() => void) | undefined;

  /** @param admit throws when the caller may not read objects */
  constructor(socket: Socket, reader: BulkReader, admit: (authorization: string) => void) {
    this.#socket = socket;
    this.#reader = reader;
    this.#admit = admit;
    socket.on("data", (data: Uint8Array) => this.#take(data));
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#wake?.());
    socket.setTimeout(idleMs, () => socket.destroy());
    void this.#run();
  }

  #take(data: Uint8Array): void {
    if (this.#isRefused) return;
    try {
      const requests = this.#requests.take(data);
      const { authorization } = this.#requests;
      if (!this.#isAdmitted && authorization !== undefined) {
        this.#admit(authorization);
        this.#isAdmitted = true;
      }
      this.#waiting.push(...requests);
      if (this.#waiting.length > maxWaiting) this.#socket.pause();
      this.#wake?.();
    } catch (reason) {
      // The error answers the first request that has no answer yet, after which the connection is closed.
      this.#isRefused = true;
      this.#waiting.splice(0);
      const error = errorBytes(reason);
      this.#socket.end(Buffer.concat([answerHead(true, error.byteLength), error]));
    }
  }

  async #run(): Promise<void> {
    let sent: Promise<void> = Promise.resolve();
    while (!this.#socket.destroyed) {
      const request = this.#waiting.shift();
      if (request === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      if (this.#socket.isPaused() && this.#waiting.length <= maxWaiting / 2) this.#socket.resume();
      const answer = await this.#reader.read(request).catch((reason: unknown) => ({
        error: errorBytes(reason),
      }));
      // The checksum of one answer is made while the one before is being sent.
      const checksum = "error" in answer ? undefined : bulkChecksum(request.objectId, answer.bytes);
      await sent;
      sent = "error" in answer ? this.#send(true, answer.error) : this.#send(false, answer.bytes, checksum);
      if ("release" in answer) sent = sent.finally(() => answer.release());
    }
    await sent;
    await this.#reader.close().catch(() => undefined);
  }

  /** Resolves when the connection has taken the bytes, or has ended. */
  #send(isError: boolean, bytes: Uint8Array, checksum?: Uint8Array): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      if (socket.destroyed) {
        resolve();
        return;
      }
      const timer = setTimeout(() => socket.destroy(), stallMs);
      const done = () => {
        clearTimeout(timer);
        socket.off("close", done);
        resolve();
      };
      socket.once("close", done);
      socket.cork();
      socket.write(answerHead(isError, bytes.byteLength, checksum));
      socket.write(bytes, done);
      socket.uncork();
    });
  }
}
