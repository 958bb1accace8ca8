/**
 * Responsibility: the output of one process on disk, up to a limit. Later output is not kept.
 * Not responsible for: the process's last lines, which are also kept in memory.
 *
 * Invariants:
 * - OUTPUTFILE-1. A disk that is full or broken neither ends the node nor blocks the process: what it cannot take is
 *   dropped and counted, and when it takes output again a line in the file says how much is missing.
 */
import { createWriteStream, type WriteStream } from "node:fs";
import { type Clock, systemClock } from "@palimpsest/std";

const retryEveryMs = 1_000;

export interface OutputFileOptions {
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

export class OutputFile {
  readonly #path: string;
  readonly #clock: Clock;
  #stream: WriteStream | undefined;
  #leftBytes: number;
  #lostBytes = 0;
  #failedAtMs = 0;

  constructor(path: string, { maxBytes = 64 * 1024 * 1024, clock = systemClock }: OutputFileOptions = {}) {
    this.#path = path;
    this.#clock = clock;
    this.#leftBytes = maxBytes;
    this.#stream = this.#open();
  }

  /** The number of bytes that were dropped since the disk last took some. */
  get lostBytes(): number {
    return this.#lostBytes;
  }

  write(chunk: Buffer): void {
    if (this.#leftBytes <= 0) return;
    const stream = this.#stream ?? this.#reopened();
    const kept = chunk.subarray(0, this.#leftBytes);
    if (stream === undefined) {
      this.#lostBytes += kept.byteLength;
      return;
    }
    this.#leftBytes -= kept.byteLength;
    this.#append(stream, kept);
  }

  close(): void {
    this.#stream?.end();
  }

  #append(stream: WriteStream, bytes: Buffer): void {
    stream.write(bytes, (error) => {
      if (!error) return;
      this.#lostBytes += bytes.byteLength;
      this.#leftBytes += bytes.byteLength;
    });
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { flags: "a", mode: 0o600 });
    stream.on("error", () => {
      if (this.#stream === stream) this.#stream = undefined;
      this.#failedAtMs = this.#clock.monotonicMs();
    });
    return stream;
  }

  /** Opens the file again. This is retried at intervals, because there may be room again. */
  #reopened(): WriteStream | undefined {
    if (this.#clock.monotonicMs() - this.#failedAtMs < retryEveryMs) return undefined;
    const stream = this.#open();
    this.#stream = stream;
    const lostBytes = this.#lostBytes;
    const mark = Buffer.from(
      `\n[… ${lostBytes} bytes of output were lost here: the disk did not take them]\n`,
    );
    stream.write(mark, (error) => {
      if (!error) this.#lostBytes -= lostBytes;
    });
    return stream;
  }
}
