/**
 * The backlog of one driver's output for the head, numbered by byte.
 *
 * Responsibility: keeping what the head has not acknowledged, within a limit.
 * Not responsible for: sending it (output-stream.ts).
 *
 * Invariants:
 * - DRIVER-LOG-1. Byte offsets count from the start of the log without gaps.
 * - DRIVER-LOG-2. Output that the head has not acknowledged is kept and can be sent again.
 * - DRIVER-LOG-3. Above maxUnackedBytes the driver's output is not read, so that the driver blocks in its writes.
 */
const maxUnackedBytes = 8 * 1024 * 1024;
const maxPartBytes = 256 * 1024;
/** Lines are joined up to this size, because one message per line would cost more than the line. */
const joinedBytes = 16 * 1024;

export interface LogPart {
  readonly data: Uint8Array;
  readonly offsetBytes: number;
}

export class DriverLog {
  readonly #onFull: (full: boolean) => void;
  #parts: LogPart[] = [];
  #endBytes = 0;
  #full = false;
  #unwanted = false;

  /** @param onFull called with true above the limit, and with false when the head has caught up */
  constructor(onFull: (full: boolean) => void) {
    this.#onFull = onFull;
  }

  /** The number of bytes of all output so far. */
  get endBytes(): number {
    return this.#endBytes;
  }

  get acknowledged(): boolean {
    return this.#parts.length === 0;
  }

  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.byteLength; from += maxPartBytes) {
      const data = bytes.subarray(from, from + maxPartBytes);
      if (!this.#unwanted) this.#keep(data);
      this.#endBytes += data.byteLength;
    }
    this.#notice();
  }

  /** Returns the part that contains the byte at offsetBytes, from that byte on; undefined at the end. */
  partAt(offsetBytes: number): LogPart | undefined {
    const part = this.#parts.find(({ data, offsetBytes: at }) => at + data.byteLength > offsetBytes);
    if (part === undefined || part.offsetBytes >= offsetBytes) return part;
    return { data: part.data.subarray(offsetBytes - part.offsetBytes), offsetBytes };
  }

  acknowledge(offsetBytes: number): void {
    const kept = this.#parts.findIndex(({ data, offsetBytes: at }) => at + data.byteLength > offsetBytes);
    this.#parts = kept < 0 ? [] : this.#parts.slice(kept);
    this.#notice();
  }

  /** Drops the output because the head does not want it: nothing is kept any more, and the driver never blocks. */
  discard(): void {
    this.#unwanted = true;
    this.#parts = [];
    this.#notice();
  }

  #keep(data: Uint8Array): void {
    const last = this.#parts.at(-1);
    if (last === undefined || last.data.byteLength + data.byteLength > joinedBytes) {
      this.#parts.push({ data, offsetBytes: this.#endBytes });
      return;
    }
    const joined = Buffer.concat([last.data, data]);
    this.#parts[this.#parts.length - 1] = { data: joined, offsetBytes: last.offsetBytes };
  }

  #notice(): void {
    const unackedBytes = this.#endBytes - (this.#parts[0]?.offsetBytes ?? this.#endBytes);
    const full = unackedBytes > maxUnackedBytes;
    if (full === this.#full) return;
    this.#full = full;
    this.#onFull(full);
  }
}
