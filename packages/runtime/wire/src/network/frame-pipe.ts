/**
 * Responsibility: messages over a byte stream between a node and a process of user code: the length of each in 4 bytes,
 * little-endian, then its bytes.
 * Not responsible for: the meaning of the messages.
 *
 * It takes the place of Node's own IPC channel, because that one belongs to the whole process: `process.send` of user
 * code would write to it, and libraries do so as soon as it exists.
 *
 * Invariants:
 * - FRAMEPIPE-1. onFrame gets each message whole and in order. After onGarbage it gets none.
 */
import type { Duplex } from "node:stream";

const lengthBytes = 4;
/** A longer message is no message of the runtime. */
const maxFrameBytes = 256 * 1024 * 1024;

export interface FramePipeEvents {
  onFrame(message: Uint8Array): void;
  /** Called once if what arrives cannot be a message. */
  onGarbage?(why: string): void;
  /** Called once when the other end has closed the stream, or the stream broke. */
  onClosed(): void;
}

/** Messages with a length in front, over a stream of bytes. */
export class FramePipe {
  readonly #stream: Duplex;
  readonly #events: FramePipeEvents;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** How many bytes must be there before there is anything to do. */
  #needed = lengthBytes;
  #closed = false;
  #broken = false;

  constructor(stream: Duplex, events: FramePipeEvents) {
    this.#stream = stream;
    this.#events = events;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    for (const event of ["end", "close", "error"]) stream.on(event, () => this.#close());
  }

  /** Sends a message. One that the other end no longer reads is dropped. @param done called when it is written */
  send(message: Uint8Array, done?: () => void): void {
    if (this.#closed || !this.#stream.writable) {
      done?.();
      return;
    }
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(message.byteLength);
    this.#stream.cork();
    this.#stream.write(length);
    this.#stream.write(message, () => done?.());
    this.#stream.uncork();
  }

  #take(chunk: Buffer): void {
    if (this.#broken) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes < this.#needed) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      this.#needed = lengthBytes;
      if (rest.byteLength < lengthBytes) break;
      const size = rest.readUInt32LE();
      if (size > maxFrameBytes) {
        this.#refuse(`a message of ${size} bytes is announced`);
        return;
      }
      this.#needed = lengthBytes + size;
      if (rest.byteLength < this.#needed) break;
      const frame = rest.subarray(lengthBytes, this.#needed);
      rest = rest.subarray(this.#needed);
      this.#events.onFrame(frame);
    }
    this.#chunks = [rest];
    this.#bytes = rest.byteLength;
  }

  #refuse(why: string): void {
    this.#broken = true;
    this.#chunks = [];
    this.#events.onGarbage?.(why);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.onClosed();
  }
}
