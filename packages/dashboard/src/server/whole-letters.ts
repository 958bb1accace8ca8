/** Cuts a stream of UTF-8 between letters: a reader that goes on from the end of a piece begins with a whole one. */
export interface LogPiece {
  /** Of the first byte of the text. */
  readonly offsetBytes: number;
  /** Where the next one begins. */
  readonly nextBytes: number;
  readonly text: string;
}

export class WholeLetters {
  #held = Buffer.alloc(0);
  #heldAt = 0;

  /** What is whole, with what was left of the piece before. A piece that lies elsewhere begins anew. */
  push(offsetBytes: number, data: Uint8Array): LogPiece {
    const follows = this.#heldAt + this.#held.byteLength === offsetBytes;
    const at = follows ? this.#heldAt : offsetBytes;
    const bytes = follows ? Buffer.concat([this.#held, data]) : Buffer.from(data);
    const whole = bytes.byteLength - openBytes(bytes);
    this.#held = bytes.subarray(whole);
    this.#heldAt = at + whole;
    return { offsetBytes: at, nextBytes: at + whole, text: bytes.toString("utf8", 0, whole) };
  }

  /** What is left where nothing more comes. */
  end(): LogPiece {
    const nextBytes = this.#heldAt + this.#held.byteLength;
    return { offsetBytes: this.#heldAt, nextBytes, text: this.#held.toString("utf8") };
  }
}

/** Bytes at the end that begin a letter and are fewer than it has. */
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
