import { type FileHandle, open } from "node:fs/promises";
import { roundToHalf, sizeOf, widenHalf } from "@palimpsest/jit";

/** The dtype in which weights are written. bfloat16 rounds to nearest, ties to even. */
export type WrittenDtype = "float32" | "bfloat16";

const dtypes = {
  float32: { name: "F32", bytesEach: 4 },
  bfloat16: { name: "BF16", bytesEach: 2 },
} as const;

/** Number of elements that are computed and written at a time; a longer row is written as a whole. */
const pieceElements = 1 << 20;

/** A tensor to write, whose values are computed on demand. */
export interface WritableTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Fills `into` with whole rows (of the last axis), from row `firstRow` on. */
  readonly fillRows: (firstRow: number, into: Float32Array) => void;
}

/** Wraps a tensor whose values, in float32 or bfloat16, are in memory in the order in which they are written. */
export function writableTensor(
  name: string,
  shape: readonly number[],
  values: Float32Array | Uint16Array,
): WritableTensor {
  const width = shape.at(-1) ?? 1;
  const fillRows = (firstRow: number, into: Float32Array) => {
    const rows = values.subarray(firstRow * width, firstRow * width + into.length);
    into.set(rows instanceof Float32Array ? rows : widenHalf(rows));
  };
  return { name, shape, fillRows };
}

export function writtenBytes(tensor: Pick<WritableTensor, "shape">, dtype: WrittenDtype): number {
  return sizeOf(tensor.shape) * dtypes[dtype].bytesEach;
}

/**
 * Writes one file and syncs it to disk, a few MiB at a time. Tensors are laid out in the order given: sorted by name,
 * equal weights give equal bytes.
 */
export async function writeSafetensors(
  path: string,
  tensors: readonly WritableTensor[],
  dtype: WrittenDtype = "float32",
): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(headerOf(tensors, dtype));
    for (const tensor of tensors) await writeValues(file, tensor, dtype);
    await file.sync();
  } finally {
    await file.close();
  }
}

function headerOf(tensors: readonly WritableTensor[], dtype: WrittenDtype): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let offset = 0;
  for (const tensor of tensors) {
    const end = offset + writtenBytes(tensor, dtype);
    header[tensor.name] = { dtype: dtypes[dtype].name, shape: tensor.shape, data_offsets: [offset, end] };
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(header), "utf8");
  // The header is padded with spaces to a multiple of eight, so that the data is aligned when the file is mapped.
  const headerLength = Math.ceil(json.length / 8) * 8;
  const bytes = Buffer.alloc(8 + headerLength, " ");
  bytes.writeBigUInt64LE(BigInt(headerLength), 0);
  json.copy(bytes, 8);
  return bytes;
}

async function writeValues(file: FileHandle, tensor: WritableTensor, dtype: WrittenDtype): Promise<void> {
  const width = tensor.shape.at(-1) ?? 1;
  const elements = sizeOf(tensor.shape);
  if (elements === 0) return;
  const rows = elements / width;
  const rowsAtATime = Math.max(1, Math.floor(pieceElements / width));
  const buffer = new Float32Array(Math.min(rows, rowsAtATime) * width);
  for (let row = 0; row < rows; row += rowsAtATime) {
    const piece = buffer.subarray(0, Math.min(rowsAtATime, rows - row) * width);
    tensor.fillRows(row, piece);
    await file.writeFile(dtype === "float32" ? bytesOf(piece) : bytesOf(roundToHalf(piece)));
  }
}

function bytesOf(values: Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
