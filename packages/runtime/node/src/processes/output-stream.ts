/**
 * Sends one driver's output to the head, over a stream of its own.
 *
 * Responsibility: sending the log at the head's pace, and again after every break.
 * Not responsible for: keeping it (driver-log.ts).
 *
 * Invariants:
 * - OUTPUT-STREAM-1. Nothing is sent before the head has named the byte to start from.
 * - OUTPUT-STREAM-2. At most one stream window is in flight: the next part is sent when the stream takes it.
 * - OUTPUT-STREAM-3. A break is followed by a retry, unless the head refuses the output.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import { Backoff, type Clock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { fromGrpcError, nodeLinkService, type PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { DriverLog } from "./driver-log.js";

type Stream = ClientDuplexStream<proto.DriverOutput.$Properties, proto.DriverOutputAck.$Properties>;

export interface OutputStreamDeps {
  readonly jobId: string;
  readonly nodeId: string;
  readonly log: DriverLog;
  /** Returns a channel to the head without other urgent messages. */
  readonly head: () => Peer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each acknowledgment, and when the output is refused. */
  readonly onProgress: () => void;
}

export class OutputStream {
  readonly #deps: OutputStreamDeps;
  #stream: Stream | undefined;
  /** The next byte to send; undefined until the head has named it. */
  #next: number | undefined;
  #waitsForDrain = false;
  readonly #backoff = new Backoff({ firstMs: 100, longestMs: 5_000 });
  #cancelRetry: (() => void) | undefined;
  #closed = false;

  constructor(deps: OutputStreamDeps) {
    this.#deps = deps;
  }

  /** Sends new output, and connects first if necessary. It must be called after each append. */
  push(): void {
    if (this.#closed || this.#cancelRetry !== undefined) return;
    if (this.#stream === undefined) {
      if (!this.#deps.log.acknowledged) this.#connect();
      return;
    }
    const stream = this.#stream;
    while (this.#next !== undefined && !this.#waitsForDrain) {
      const part = this.#deps.log.partAt(this.#next);
      if (part === undefined) return;
      this.#next = part.offsetBytes + part.data.byteLength;
      const { data, offsetBytes } = part;
      this.#waitsForDrain = !stream.write({ jobId: this.#deps.jobId, data, offsetBytes });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelRetry?.();
    this.#stream?.end();
    this.#stream?.cancel();
    this.#stream = undefined;
  }

  #connect(): void {
    const { jobId, nodeId, head } = this.#deps;
    const stream = head().bidi(nodeLinkService.jobOutput);
    this.#stream = stream;
    this.#next = undefined;
    this.#waitsForDrain = false;
    stream.on("data", ({ offsetBytes }: proto.DriverOutputAck.$Properties) => {
      if (this.#stream === stream) this.#acknowledged(offsetBytes ?? 0);
    });
    stream.on("drain", () => {
      if (this.#stream !== stream) return;
      this.#waitsForDrain = false;
      this.push();
    });
    stream.on("error", (reason) => this.#broken(stream, fromGrpcError(reason)));
    stream.on("end", () => this.#broken(stream, undefined));
    stream.write({ jobId, nodeId });
  }

  #acknowledged(offsetBytes: number): void {
    this.#backoff.reset();
    this.#deps.log.acknowledge(offsetBytes);
    this.#next ??= offsetBytes;
    this.#deps.onProgress();
    this.push();
  }

  #broken(stream: Stream, error: PalimpsestError | undefined): void {
    if (this.#stream !== stream || this.#closed) return;
    this.#stream = undefined;
    const { jobId, log, clock, logger, onProgress } = this.#deps;
    if (error?.code === "NOT_FOUND") {
      logger.warn({ jobId, err: error }, "the head refuses the output of a job");
      log.discard();
      onProgress();
      return;
    }
    this.#cancelRetry = clock.after(this.#backoff.next(), () => {
      this.#cancelRetry = undefined;
      this.push();
    });
  }
}
