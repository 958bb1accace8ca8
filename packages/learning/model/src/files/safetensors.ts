import { type FileHandle, open } from "node:fs/promises";
import { widenHalf } from "@palimpsest/jit";
import { ModelError } from "../base/error.js";
import { float16Values } from "./float16.js";
import { type PieceBuffer, PieceBuffers, pieceBytes } from "./piece-buffers.js";
import { type ReadableDtype, readableDtypes, readHeader, type TensorPlace } from "./safetensors-header.js";
import type { TensorInfo, TensorSource, VisitValues } from "./tensor-source.js";

/** A tensor of a file, read whole: floats of any width are returned as float32. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Int32Array;
}

/** One open safetensors file. */
export class SafetensorsFile implements TensorSource {
  readonly path: string;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly #file: FileHandle;
  readonly #places: ReadonlyMap<string, TensorPlace>;
  readonly #buffers: PieceBuffers;

  private constructor(
    path: string,
    file: FileHandle,
    places: ReadonlyMap<string, TensorPlace>,
    buffers: PieceBuffers,
  ) {
    this.path = path;
    this.#buffers = buffers;
    this.#file = file;
    this.#places = places;
    this.tensors = new Map(
      [...places].map(([name, { dtype, shape, start, end }]) => [
        name,
        { dtype, shape, sizeBytes: end - start },
      ]),
    );
  }

  /**
   * @param buffers shared by files that are read one after another
   * @throws {ModelError} FILE_DAMAGED: truncated, bad header, offsets that contradict each other
   */
  static async open(path: string, buffers = new PieceBuffers()): Promise<SafetensorsFile> {
    const file = await open(path, "r");
    try {
      return new SafetensorsFile(path, file, await readHeader(path, file), buffers);
    } catch (reason) {
      await file.close();
      throw reason;
    }
  }

  async read(name: string, visit: VisitValues, signal?: AbortSignal): Promise<void> {
    const { dtype } = this.#place(name);
    if (dtype === "I32") {
      const message = `${this.path}: tensor ${name} contains integers instead of weights`;
      throw new ModelError("DTYPE_UNSUPPORTED", message);
    }
    const widen = wideners[dtype];
    let offset = 0;
    await this.#pieces(
      name,
      (bytes, buffer) => {
        const values = widen(bytes, buffer);
        visit(values, offset);
        offset += values.length;
      },
      signal,
    );
  }

  /** Reads a whole tensor into newly allocated memory. */
  async readWhole(name: string): Promise<StoredTensor> {
    const { dtype, shape, start, end } = this.#place(name);
    if (dtype === "I32") {
      const bytes = new Uint8Array(end - start);
      let at = 0;
      await this.#pieces(name, (piece) => {
        bytes.set(piece, at);
        at += piece.length;
      });
      return { shape, values: new Int32Array(bytes.buffer) };
    }
    const values = new Float32Array((end - start) / readableDtypes[dtype]);
    await this.read(name, (piece, offset) => values.set(piece, offset));
    return { shape, values };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #place(name: string): TensorPlace & { readonly dtype: ReadableDtype } {
    const place = this.#places.get(name);
    if (place === undefined)
      throw new ModelError("TENSOR_MISSING", `${this.path}: contains no tensor ${name}`);
    const { dtype } = place;
    if (isReadable(dtype)) return { ...place, dtype };
    throw new ModelError(
      "DTYPE_UNSUPPORTED",
      `${this.path}: tensor ${name} is ${dtype}, but only F32, F16, BF16 and I32 can be read; convert the file`,
    );
  }

  async #pieces(
    name: string,
    visit: (bytes: Uint8Array, buffer: PieceBuffer) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const { start, end } = this.#place(name);
    const buffer = this.#buffers.take();
    try {
      for (let at = start; at < end; at += pieceBytes) {
        signal?.throwIfAborted();
        const bytes = buffer.bytes.subarray(0, Math.min(pieceBytes, end - at));
        await this.#fill(bytes, at);
        visit(bytes, buffer);
      }
    } finally {
      this.#buffers.giveBack(buffer);
    }
  }

  async #fill(bytes: Uint8Array, position: number): Promise<void> {
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, position + filled);
      if (bytesRead === 0) {
        const message = `${this.path}: truncated while it was read, at byte ${position + filled}`;
        throw new ModelError("FILE_DAMAGED", message);
      }
      filled += bytesRead;
    }
  }
}

/**
 * Reads every tensor of one safetensors file into memory.
 * @throws {ModelError} FILE_DAMAGED, DTYPE_UNSUPPORTED
 */
export async function readSafetensors(path: string): Promise<Record<string, StoredTensor>> {
  const file = await SafetensorsFile.open(path);
  try {
    const tensors: Record<string, StoredTensor> = {};
    for (const name of file.tensors.keys()) tensors[name] = await file.readWhole(name);
    return tensors;
  } finally {
    await file.close();
  }
}

function isReadable(dtype: string): dtype is ReadableDtype {
  return Object.hasOwn(readableDtypes, dtype);
}

// Pieces begin at the start of a buffer and contain whole elements, so that typed arrays can view them directly.
const wideners = {
  F32: (bytes: Uint8Array) => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4),
  BF16: (bytes: Uint8Array, buffer: PieceBuffer) => {
    const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    return widenHalf(halves, buffer.widened().subarray(0, halves.length));
  },
  F16: (bytes: Uint8Array, buffer: PieceBuffer) => {
    const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    const values = buffer.widened().subarray(0, halves.length);
    const table = float16Values();
    for (let i = 0; i < halves.length; i++) values[i] = table[halves[i] as number] as number;
    return values;
  },
};
