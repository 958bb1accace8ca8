/**
 * Responsibility: the server's end of streams of requests. It admits or refuses each request as a call of its own, has
 * the method's handler carry it out, and sends many answers in one message.
 * Not responsible for: the other end (request-stream.ts), or who may call what (access.ts).
 *
 * Invariants:
 * - REQUESTSERVER-1. Each request on a stream has the rights of the caller that opened it, method by method. It is
 *   limited in rate, bounded in size and audited as a call of its own, and a refused request reaches no handler.
 * - REQUESTSERVER-2. At most `maxPending` requests of a stream are outstanding. One more is refused.
 * While the transport accepts no answers and more than `highWaterBytes` of them wait, the stream's requests are not
 * read.
 */
import { EventEmitter } from "node:events";
import type { handleUnaryCall, MethodDefinition, ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";
import { PalimpsestError } from "../base/error.js";
import { thrownMessage } from "../base/thrown.js";
import { errorToProto } from "../failures/error-message.js";
import { fromGrpcError } from "../failures/status.js";
import type { Access } from "../protocol/access.js";
import {
  type Caller,
  type CallRecord,
  callerOf,
  permit,
  tooMany,
  UnreadableMessage,
} from "../security/authorization.js";
import type { RateLimit } from "../security/rate-limit.js";

const highWaterBytes = 4 * 1024 * 1024;
/** Batches are small because both ends of a stream keep sixteen unread messages. */
const maxBatchBytes = 64 * 1024;
const defaultMaxPending = 10_000;
/** The most text of an error, in bytes. */
const maxErrorBytes = 24 * 1024;

type Stream = ServerDuplexStream<proto.RequestBatch.$Properties, proto.AnswerBatch.$Properties>;

/** A unary method that may be called on a stream of requests. */
export interface StreamedMethod {
  /** The method's definition, whose requests are bounded in size. */
  readonly definition: MethodDefinition<unknown, unknown>;
  readonly access: Access;
  readonly handle: handleUnaryCall<unknown, unknown>;
}

export interface RequestServerDeps {
  readonly methods: ReadonlyMap<string, StreamedMethod>;
  readonly rate: RateLimit;
  readonly onCall: (record: CallRecord) => void;
  /** Requests of one stream that may be outstanding at once. Default 10,000. */
  readonly maxPending?: number;
}

/** What a handler sees of a request, which is the same as what it sees of a call. */
class RequestCall extends EventEmitter {
  readonly request: unknown;
  readonly metadata: Stream["metadata"];
  cancelled = false;

  constructor(request: unknown, metadata: Stream["metadata"]) {
    super();
    this.request = request;
    this.metadata = metadata;
  }

  cancel(): void {
    this.cancelled = true;
    this.emit("cancelled", "cancelled");
  }
}

export class RequestServer {
  readonly #deps: RequestServerDeps;
  readonly #streams = new Set<RequestConnection>();
  #closed = false;

  constructor(deps: RequestServerDeps) {
    this.#deps = deps;
  }

  accept(stream: Stream): void {
    const connection = new RequestConnection(stream, this.#deps, () => this.#streams.delete(connection));
    this.#streams.add(connection);
    if (this.#closed) connection.retire();
  }

  /** Ends each stream as soon as none of its requests is outstanding. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#streams]) connection.retire();
  }
}

class RequestConnection {
  readonly #stream: Stream;
  readonly #deps: RequestServerDeps;
  readonly #peer: string;
  readonly #pending = new Map<number, RequestCall>();
  readonly #onClosed: () => void;
  #caller: Caller | undefined;
  #answers: { readonly answer: proto.Answer.$Properties; readonly sizeBytes: number }[] = [];
  #waitingBytes = 0;
  #scheduled = false;
  #full = false;
  #ending = false;
  #closed = false;

  constructor(stream: Stream, deps: RequestServerDeps, onClosed: () => void) {
    this.#stream = stream;
    this.#deps = deps;
    this.#peer = stream.getPeer();
    this.#onClosed = onClosed;
    stream.on("data", (batch: proto.RequestBatch.$Properties) => {
      for (const request of batch.requests ?? []) this.#take(request);
      for (const requestId of batch.cancelRequestIds ?? []) this.#pending.get(requestId)?.cancel();
    });
    stream.on("drain", () => {
      this.#full = false;
      this.#flush();
    });
    stream.on("end", () => this.retire());
    stream.on("cancelled", () => this.#close());
    stream.on("error", () => this.#close());
  }

  retire(): void {
    this.#ending = true;
    this.#endIfDone();
  }

  #take({ requestId = 0, path = "", message }: proto.Request.$Properties): void {
    const id = requestId ?? 0;
    const method = this.#deps.methods.get(path ?? "");
    // REQUESTSERVER-1: who opened the stream does not change, so it is read once.
    this.#caller ??= callerOf(this.#stream);
    const caller = this.#caller;
    const record = (error: PalimpsestError | undefined, refused: boolean) =>
      this.#deps.onCall({
        method: path ?? "",
        peer: this.#peer,
        caller,
        outcome: error?.code ?? "OK",
        refused,
      });
    let decoded: unknown;
    try {
      permit(path ?? "", method?.access, caller);
      if (method?.access.rated && !this.#deps.rate.take(this.#peer)) throw tooMany(path ?? "");
      if (this.#pending.size >= (this.#deps.maxPending ?? defaultMaxPending)) throw tooMany(path ?? "");
      decoded = method?.definition.requestDeserialize(Buffer.from(message ?? []));
      if (decoded instanceof UnreadableMessage) throw decoded.error;
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      record(error, true);
      this.#answer({ requestId: id, error: errorToProto(error, maxErrorBytes) }, 256);
      return;
    }
    if (!method) return;
    const call = new RequestCall(decoded, this.#stream.metadata);
    this.#pending.set(id, call);
    method.handle(call as unknown as ServerUnaryCall<unknown, unknown>, (reason, response) => {
      this.#pending.delete(id);
      let error = reason ? fromGrpcError(Object.assign(new Error(), reason)) : undefined;
      let bytes: Uint8Array | undefined;
      try {
        if (!error) bytes = method.definition.responseSerialize(response);
      } catch (cause) {
        // The other requests of the stream have nothing to do with it.
        const message = `the answer to ${path} cannot be encoded: ${thrownMessage(cause)}`;
        error = new PalimpsestError("INTERNAL", message, { cause });
      }
      if (method.access.audited) record(error, false);
      if (!call.cancelled) {
        const outcome = bytes ? { message: bytes } : { error: errorToProto(error, maxErrorBytes) };
        this.#answer({ requestId: id, ...outcome }, 64 + (bytes?.byteLength ?? 256));
      }
      this.#endIfDone();
    });
  }

  #answer(answer: proto.Answer.$Properties, sizeBytes: number): void {
    if (this.#closed) return;
    this.#answers.push({ answer, sizeBytes });
    this.#waitingBytes += sizeBytes;
    if (this.#full) {
      this.#pauseIfBehind();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    while (!this.#full && !this.#closed && this.#answers.length > 0)
      this.#full = !this.#stream.write({ answers: this.#takeBatch() });
    if (this.#full) this.#pauseIfBehind();
    else this.#stream.resume();
    this.#endIfDone();
  }

  #pauseIfBehind(): void {
    if (this.#waitingBytes > highWaterBytes) this.#stream.pause();
  }

  #takeBatch(): proto.Answer.$Properties[] {
    let bytes = 0;
    let count = 0;
    for (const { sizeBytes } of this.#answers) {
      if (count > 0 && bytes + sizeBytes > maxBatchBytes) break;
      bytes += sizeBytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#answers.splice(0, count).map(({ answer }) => answer);
  }

  #endIfDone(): void {
    if (!this.#ending || this.#closed || this.#pending.size > 0 || this.#answers.length > 0) return;
    this.#closed = true;
    this.#onClosed();
    this.#stream.end();
  }

  /** Cleans up after the caller has gone. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#answers = [];
    this.#onClosed();
    for (const call of [...this.#pending.values()]) call.cancel();
  }
}
