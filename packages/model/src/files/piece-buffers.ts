/** Bytes read at a time. A reader holds this much of a file, and twice that where halves are widened. */
export const pieceBytes = 4 << 20;

/** Memory for one piece of a tensor, as it is read and as it is given on. */
export interface PieceBuffer {
  readonly bytes: Uint8Array;
  /** Room for as many halves as `bytes` holds; made when first asked for. */
  readonly widened: () => Float32Array;
}

/**
 * The buffer of the last read, for the next one, of any file that shares it: made anew for each tensor,
 * buffers would wait for the collector and outgrow the weights of a small shard.
 */
export class PieceBuffers {
  #spare: PieceBuffer | undefined;

  /** The spare one, or another where a read is under way. */
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
