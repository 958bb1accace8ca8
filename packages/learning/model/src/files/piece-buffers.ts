/** Bytes that are read at a time. A reader has this much of a file in memory, plus twice that for widened values. */
export const pieceBytes = 4 << 20;

/** Memory for one piece of a tensor, both as it is read and as it is passed on. */
export interface PieceBuffer {
  readonly bytes: Uint8Array;
  /** Returns memory for as many float32 values as `bytes` has 16-bit values; it is allocated on first use. */
  readonly widened: () => Float32Array;
}

/**
 * Reuses the buffer of the last read for the next one, of any file that shares it: if each tensor allocated its own,
 * buffers would wait for garbage collection and outgrow the weights of a small shard.
 */
export class PieceBuffers {
  #spare: PieceBuffer | undefined;

  /** Returns the spare buffer, or a new one while a read is in progress. */
  take(): PieceBuffer {
    const buffer = this.#spare ?? aBuffer();
    this.#spare = undefined;
    return buffer;
  }

  giveBack(buffer: PieceBuffer): void {
    this.#spare = buffer;
  }
}

function aBuffer(): PieceBuffer {
  let widened: Float32Array | undefined;
  return {
    bytes: new Uint8Array(pieceBytes),
    widened: () => {
      widened ??= new Float32Array(pieceBytes / 2);
      return widened;
    },
  };
}
