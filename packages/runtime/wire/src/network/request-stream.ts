/**
 * Responsibility: sends the requests of one channel on a stream, many to a message, and matches the answers to them.
 * Not responsible for: which methods travel so (services.ts), the other end (request-server.ts), or retries.
 *
 * Invariants:
 * - REQUESTS-1. Each request has exactly one outcome: its answer, the server's error, GET_TIMEOUT, CANCELLED, or
 *   UNAVAILABLE when the stream ended first. In the last case it may or may not have been carried out.
 * - REQUESTS-2. The requests of one turn of the event loop travel in one message of up to `maxBatchBytes`. While the
 *   transport is full they wait in order.
 */

import type { ClientDuplexStream } from "@grpc/grpc-js";
import { backgroundClock, systemClock, whenAborted } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";
import { PalimpsestError } from "../base/error.js";
import { thrownMessage } from "../base/thrown.js";
import { errorFromProto } from "../failures/error-message.js";
import { fromGrpcError } from "../failures/status.js";
import type { Method } from "../protocol/method.js";
import type { CallSettings } from "./network.js";

const maxBatchBytes = 1024 * 1024;

type Stream = ClientDuplexStream<proto.RequestBatch.$Properties, proto.AnswerBatch.$Properties>;

interface Asked {
  readonly answer: (message: Uint8Array) => void;
  readonly fail: (error: PalimpsestError) => void;
}

export class RequestStream {
  #stream: Stream | undefined;
  readonly #asked = new Map<number, Asked>();
  #requests: proto.Request.$Properties[] = [];
  #cancelled: number[] = [];
  #nextId = 1;
  #scheduled = false;
  #full = false;
  #retired = false;

  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on("data", (batch: proto.AnswerBatch.$Properties) => {
      for (const answer of batch.answers ?? []) this.#receive(answer);
    });
    stream.on("drain", () => {
      this.#full = false;
      this.#flush();
    });
    stream.on("error", (reason) => this.#break(brokenBy(fromGrpcError(reason))));
    stream.on("end", () => this.#break(new PalimpsestError("UNAVAILABLE", "the server closed its stream")));
  }

  /** Number of outstanding requests. */
  get size(): number {
    return this.#asked.size;
  }

  get broken(): boolean {
    return this.#stream === undefined;
  }

  ask<Request, Response>(
    method: Method<Request, Response>,
    message: Uint8Array,
    { timeoutMs, signal, background = false }: CallSettings & { readonly timeoutMs: number },
  ): Promise<Response> {
    const requestId = this.#nextId++;
    return new Promise((resolve, reject) => {
      let unwatch: (() => void) | undefined;
      const settle = () => {
        this.#asked.delete(requestId);
        cancelTimer();
        unwatch?.();
        if (this.#retired && this.#asked.size === 0) this.#stream?.end();
      };
      const fail = (error: PalimpsestError) => {
        settle();
        reject(error);
      };
      const giveUp = (error: PalimpsestError) => {
        this.#cancel(requestId);
        fail(error);
      };
      const abort = () =>
        giveUp(new PalimpsestError("CANCELLED", `${method.name} was cancelled by its caller`));
      // The timer keeps the process running until the answer.
      const clock = background ? backgroundClock : systemClock;
      const cancelTimer = clock.after(timeoutMs, () => giveUp(unanswered(method.name, timeoutMs)));
      const answer = (bytes: Uint8Array) => {
        settle();
        // A response that cannot be read fails this request alone.
        const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        try {
          resolve(decoded(`the answer to ${method.name}`, () => method.responseDeserialize(message)));
        } catch (reason) {
          reject(reason);
        }
      };
      this.#asked.set(requestId, { answer, fail });
      if (signal?.aborted) {
        fail(new PalimpsestError("CANCELLED", `${method.name} was cancelled by its caller`));
        return;
      }
      unwatch = signal && whenAborted(signal, abort);
      this.#requests.push({ requestId, path: method.path, message });
      this.#schedule();
    });
  }

  /** Accepts no more requests, and ends when all outstanding ones are answered. */
  retire(): void {
    this.#retired = true;
    if (this.#asked.size === 0) this.#stream?.end();
  }

  close(): void {
    const stream = this.#stream;
    this.#break(new PalimpsestError("CANCELLED", "the channel was closed"));
    stream?.cancel();
  }

  #cancel(requestId: number): void {
    const waiting = this.#requests.findIndex((request) => request.requestId === requestId);
    if (waiting >= 0) this.#requests.splice(waiting, 1);
    else {
      this.#cancelled.push(requestId);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#full) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    while (this.#stream && !this.#full && this.#requests.length + this.#cancelled.length > 0) {
      const requests = this.#takeBatch();
      // A request and its cancellation may belong to the same turn, so the request is sent first.
      const cancelRequestIds = this.#requests.length === 0 ? this.#cancelled.splice(0) : [];
      this.#full = !this.#stream.write({ requests, cancelRequestIds });
    }
  }

  #takeBatch(): proto.Request.$Properties[] {
    let bytes = 0;
    let count = 0;
    for (const { message } of this.#requests) {
      bytes += 64 + (message?.byteLength ?? 0);
      if (count > 0 && bytes > maxBatchBytes) break;
      count++;
    }
    return this.#requests.splice(0, count);
  }

  #receive({ requestId, message, error }: proto.Answer.$Properties): void {
    const asked = this.#asked.get(requestId ?? 0);
    if (error) asked?.fail(errorFromProto(error));
    else asked?.answer(message ?? new Uint8Array());
  }

  #break(error: PalimpsestError): void {
    if (!this.#stream) return;
    this.#stream = undefined;
    this.#requests = [];
    this.#cancelled = [];
    for (const { fail } of [...this.#asked.values()]) fail(error);
  }
}

export function unanswered(method: string, timeoutMs: number): PalimpsestError {
  return new PalimpsestError("GET_TIMEOUT", `${method} was not answered within ${timeoutMs} ms`);
}

/** This side has not canceled the stream, so CANCELLED means that the server reset it by ending at once. */
function brokenBy(error: PalimpsestError): PalimpsestError {
  if (error.code !== "CANCELLED" && error.code !== "INTERNAL") return error;
  return new PalimpsestError("UNAVAILABLE", `the stream of requests broke: ${error.rawMessage}`, {
    cause: error,
  });
}

/**
 * Runs a decoder of what another process has sent or stored.
 * @param what names the message in the error
 * @throws {PalimpsestError} CODEC
 */
function decoded<Message>(what: string, decode: () => Message): Message {
  try {
    return decode();
  } catch (cause) {
    throw new PalimpsestError("CODEC", `${what} cannot be read: ${thrownMessage(cause)}`, { cause });
  }
}
