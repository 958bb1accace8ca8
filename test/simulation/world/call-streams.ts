import { EventEmitter } from "node:events";
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { Connection, Lane, Side } from "./connection.js";
import { MessageIterator } from "./message-iterator.js";

export interface StatusObject {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

function serviceError({ code, details, metadata }: StatusObject): ServiceError {
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata });
}

export function unavailable(details: string): StatusObject {
  return { code: status.UNAVAILABLE, details, metadata: new Metadata() };
}

/** The state that both ends of a call have. */
class CallEnd extends EventEmitter {
  readonly connection: Connection;
  readonly side: Side;
  readonly method: string;
  readonly lane: Lane = { lastAtMs: 0, queue: [] };
  readonly #serialize: (message: never) => Buffer;
  other: CallEnd | undefined;
  /** Whether no more messages leave this end. */
  finished = false;
  ended = false;
  writableLength = 0;
  #paused = false;
  #waiting: (() => void)[] = [];
  protected iterator: MessageIterator | undefined;

  constructor(connection: Connection, side: Side, method: string, serialize: (message: never) => Buffer) {
    super();
    this.method = method;
    this.connection = connection;
    this.side = side;
    this.#serialize = serialize;
  }

  write(message: unknown, done?: unknown): boolean {
    if (this.finished || this.ended) return true;
    const bytes = this.#serialize(message as never);
    this.writableLength++;
    const written = typeof done === "function" ? () => void done() : undefined;
    this.connection.send(this.side, this.lane, () => {
      this.writableLength--;
      this.other?.receive(() => this.other?.take(bytes));
      // Bytes of objects count as accepted when they have arrived.
      if (this.connection.bulk && written) this.connection.later(this.side, written);
    });
    if (!this.connection.bulk) written?.();
    return true;
  }

  [Symbol.asyncIterator](): MessageIterator {
    this.iterator ??= new MessageIterator(this, () => this.leave());
    return this.iterator;
  }

  /** Called when the iterating reader wants no more messages. */
  leave(): void {}

  /** Runs the event now or, while the reader is paused, when it resumes. */
  receive(event: () => void): void {
    if (this.#paused) this.#waiting.push(event);
    else event();
  }

  take(_bytes: Buffer): void {}

  pause(): this {
    this.#paused = true;
    return this;
  }

  resume(): this {
    this.#paused = false;
    for (const event of this.#waiting.splice(0)) event();
    return this;
  }

  isPaused(): boolean {
    return this.#paused;
  }

  getPeer(): string {
    return "simulated";
  }
}

/** A call of any kind as its client sees it, with its events. */
export class ClientCall extends CallEnd {
  readonly #deserialize: (bytes: Buffer) => unknown;
  readonly #listener = (reason: string) => this.close(unavailable(reason));
  declare other: ServerCall | undefined;

  constructor(
    connection: Connection,
    method: string,
    serialize: (message: never) => Buffer,
    deserialize: (bytes: Buffer) => unknown,
  ) {
    super(connection, connection.client, method, serialize);
    this.#deserialize = deserialize;
    connection.client.onBroken.add(this.#listener);
  }

  override take(bytes: Buffer): void {
    if (this.ended) return;
    const message = this.connection.arrived(this.method, false, this.#deserialize(bytes));
    if (message !== undefined) this.emit("data", message);
  }

  end(): this {
    if (this.finished || this.ended) return this;
    this.finished = true;
    this.connection.send(this.side, this.lane, () => this.other?.receive(() => this.other?.halfClosed()));
    return this;
  }

  override leave(): void {
    this.cancel();
  }

  cancel(): void {
    if (this.ended) return;
    // A reset does not overtake anything that was sent before it, and is never lost on a living connection.
    this.connection.send(this.side, this.lane, () => this.other?.cancelledByClient());
    queueMicrotask(() =>
      this.close({ code: status.CANCELLED, details: "Cancelled on client", metadata: new Metadata() }),
    );
  }

  /**
   * Does what a Node stream does: it emits the error and then the end, in addition to what grpc-js reports for the
   * call.
   */
  destroy(error?: Error): this {
    process.nextTick(() => {
      if (error !== undefined && this.listenerCount("error") > 0) this.emit("error", error);
      this.emit("close");
    });
    return this;
  }

  /** Ends the call with its status. */
  close(end: StatusObject): void {
    if (this.ended) return;
    this.ended = true;
    this.connection.client.onBroken.delete(this.#listener);
    if (end.code === status.OK) this.emit("end");
    else if (this.listenerCount("error") > 0) this.emit("error", serviceError(end));
    this.emit("status", end);
  }
}

/** A call as its server sees it, as handlers written for grpc-js receive it. */
export class ServerCall extends CallEnd {
  readonly metadata = new Metadata();
  readonly request: unknown;
  cancelled = false;
  declare other: ClientCall | undefined;
  readonly #deserialize: (bytes: Buffer) => unknown;
  readonly #listener = () => this.#broke();

  constructor(
    connection: Connection,
    method: string,
    serialize: (message: never) => Buffer,
    deserialize: (bytes: Buffer) => unknown,
    request: unknown,
  ) {
    super(connection, connection.server, method, serialize);
    this.#deserialize = deserialize;
    this.request = request;
    connection.server.onBroken.add(this.#listener);
  }

  override take(bytes: Buffer): void {
    if (this.cancelled || this.ended) return;
    const message = this.connection.arrived(this.method, true, this.#deserialize(bytes));
    if (message !== undefined) this.emit("data", message);
  }

  sendMetadata(metadata: Metadata): void {
    this.connection.send(this.side, this.lane, () => this.other?.emit("metadata", metadata));
  }

  halfClosed(): void {
    if (!this.cancelled) this.emit("end");
  }

  end(): this {
    this.#finish({ code: status.OK, details: "OK", metadata: new Metadata() });
    return this;
  }

  /** With an error while the stream is read, the reader gets the error and answers. */
  destroy(error?: Error): this {
    if (error === undefined || this.iterator === undefined) return this.end();
    this.iterator.fail(error);
    return this;
  }

  /** The "error" event of a server's stream is the call's status. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== "error") return super.emit(event, ...args);
    const { code, details, metadata } = args[0] as Partial<StatusObject>;
    this.#finish({
      code: code ?? status.UNKNOWN,
      details: details ?? "unknown error",
      metadata: metadata ?? new Metadata(),
    });
    if (this.listenerCount("error") > 0) super.emit("error", args[0]);
    return true;
  }

  /** Answers a unary call. */
  answer(error: Partial<StatusObject> | null, value: unknown): void {
    if (error) {
      this.emit("error", error);
      return;
    }
    this.write(value);
    this.end();
  }

  cancelledByClient(): void {
    if (this.cancelled) return;
    const over = this.ended;
    this.#leave();
    if (over) return;
    this.cancelled = true;
    this.emit("cancelled", "cancelled");
    this.emit("close");
  }

  /** As in grpc-js, the end of a broken connection looks like a half-close first. */
  #broke(): void {
    if (this.cancelled || this.ended) return;
    this.emit("end");
    setTimeout(() => this.cancelledByClient(), 1);
  }

  #finish(end: StatusObject): void {
    if (this.ended) return;
    this.#leave();
    this.connection.send(this.side, this.lane, () => this.other?.receive(() => this.other?.close(end)));
  }

  #leave(): void {
    this.ended = true;
    this.connection.server.onBroken.delete(this.#listener);
  }
}
