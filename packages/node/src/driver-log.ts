/**
 * Job: the output of one driver on its way to the head: whole lines, numbered by byte.
 *
 * D1. Byte offsets count from the start of the log without gaps.
 * D2. What the head has not acknowledged is kept and can be sent again.
 * D3. At most `maxUnackedBytes` are kept; above that the driver's output is not read, so that it waits.
 */
import type { DriverOutput } from "@palimpsest/wire/protocol";

const maxUnackedBytes = 8 * 1024 * 1024;
const maxMessageBytes = 256 * 1024;

interface Part {
  readonly text: string;
  readonly offsetBytes: number;
  readonly endBytes: number;
}

export class DriverLog {
  readonly #jobId: string;
  readonly #send: (message: DriverOutput.$Properties) => void;
  readonly #onFull: (full: boolean) => void;
  #parts: Part[] = [];
  #endBytes = 0;
  #full = false;

  constructor(
    jobId: string,
    send: (message: DriverOutput.$Properties) => void,
    onFull: (full: boolean) => void,
  ) {
    this.#jobId = jobId;
    this.#send = send;
    this.#onFull = onFull;
  }

  append(text: string): void {
    for (let from = 0; from < text.length; ) {
      const piece = takePiece(text, from);
      from += piece.length;
      const offsetBytes = this.#endBytes;
      this.#endBytes += Buffer.byteLength(piece);
      const part = { text: piece, offsetBytes, endBytes: this.#endBytes };
      this.#parts.push(part);
      this.#send({ jobId: this.#jobId, text: piece, offsetBytes });
    }
    this.#notice();
  }

  acknowledge(offsetBytes: number): void {
    const kept = this.#parts.findIndex((part) => part.endBytes > offsetBytes);
    this.#parts = kept < 0 ? [] : this.#parts.slice(kept);
    this.#notice();
  }

  /** Sends again all that the head may not have. */
  replay(): void {
    for (const { text, offsetBytes } of this.#parts) this.#send({ jobId: this.#jobId, text, offsetBytes });
  }

  get acknowledged(): boolean {
    return this.#parts.length === 0;
  }

  #notice(): void {
    const full = this.#endBytes - (this.#parts[0]?.offsetBytes ?? this.#endBytes) > maxUnackedBytes;
    if (full === this.#full) return;
    this.#full = full;
    this.#onFull(full);
  }
}

/** Up to maxMessageBytes of text from `from`, not inside a surrogate pair. */
function takePiece(text: string, from: number): string {
  // A UTF-16 unit takes at most three bytes.
  let end = Math.min(text.length, from + Math.floor(maxMessageBytes / 3));
  const unit = text.charCodeAt(end - 1);
  if (end < text.length && end - from > 1 && unit >= 0xd800 && unit <= 0xdbff) end--;
  return text.slice(from, end);
}
