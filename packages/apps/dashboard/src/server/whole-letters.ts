/**
 * Splits a UTF-8 stream between characters, so that a reader that resumes after a piece begins with a whole character.
 */
export interface LogPiece {
  /** Offset of the first byte of the text. */
  readonly offsetBytes: number;
  /** Offset of the next piece. */
  readonly nextBytes: number;
  readonly text: string;
}

export class WholeLetters {
  #held = Buffer.alloc(0);
  #heldAt = 0;

  /**
   * Returns the complete characters, including the bytes that were left of the previous piece. These bytes are dropped
   * when the piece does not follow the previous one.
   */
  push(offsetBytes: number, data: Uint8Array): LogPiece {
    const follows = this.#heldAt + this.#held.byteLength === offsetBytes;
    const at = follows ? this.#heldAt : offsetBytes;
    const bytes = follows ? Buffer.concat([this.#held, data]) : Buffer.from(data);
    const whole = bytes.byteLength - openBytes(bytes);
    this.#held = bytes.subarray(whole);
    this.#heldAt = at + whole;
    return { offsetBytes: at, nextBytes: at + whole, text: bytes.toString("utf8", 0, whole) };
  }

  /** Returns the bytes that are left when the stream has ended. */
  end(): LogPiece {
    const nextBytes = this.#heldAt + this.#held.byteLength;
    return { offsetBytes: this.#heldAt, nextBytes, text: this.#held.toString("utf8") };
  }
}

/** Returns the number of bytes of the incomplete character at the end; 0 when the last character is complete. */
function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}
