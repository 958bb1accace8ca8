import { type FileHandle, open } from "node:fs/promises";
import { sizeOf } from "@palimpsest/jit";
import { reasonText } from "@palimpsest/std/input";
import { ModelError } from "../base/error.js";
import { pointerProblem } from "../files/pointer.js";
import { HeaderBytes, readExactly } from "./header-bytes.js";
import { type GgufMetadata, readMetadata, readString } from "./metadata.js";
import { type StorageType, storageTypes, unreadTypeNames } from "./storage-type.js";

const MAGIC = 0x46554747; // "GGUF", little-endian
const DEFAULT_ALIGNMENT = 32;
/** Number of values that are dequantized at a time; a multiple of every type's block size. */
const PIECE_VALUES = 1 << 20;

/** The position of one tensor in the file, and the type in which its values are stored. */
export interface GgufTensor {
  readonly name: string;
  /** Row-major shape with the slowest axis first, which is the reverse of the order in the file. */
  readonly shape: readonly number[];
  readonly type: StorageType;
  /** Index in the file of the tensor's first byte. */
  readonly offset: number;
  readonly sizeBytes: number;
}

/** An open GGUF file. Its header is in memory; its tensors stay on disk until they are read. */
export interface GgufFile {
  readonly path: string;
  readonly version: number;
  readonly metadata: GgufMetadata;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  /**
   * Reads and dequantizes one tensor as a whole.
   * @throws {ModelError} FILE_DAMAGED; the signal's reason
   */
  read(tensor: GgufTensor, signal?: AbortSignal): Promise<Float32Array>;
  /** Reads and dequantizes one tensor piece by piece, in order. A piece is valid until the next one is requested. */
  pieces(tensor: GgufTensor, signal?: AbortSignal): AsyncIterable<Float32Array>;
  close(): Promise<void>;
}

/**
 * Opens a GGUF file of version 2 or 3 and checks that every tensor lies within it. The caller must close it.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED (no GGUF, truncated, contradicts itself), DTYPE_UNSUPPORTED
 */
export async function openGguf(path: string): Promise<GgufFile> {
  const file = await opened(path);
  try {
    const bytes = new HeaderBytes(path, file, (await file.stat()).size);
    const version = await readVersion(bytes);
    await bytes.need(16);
    const tensorCount = bytes.length("number of tensors");
    const metadata = await readMetadata(bytes, bytes.length("number of metadata keys"));
    const splits = metadata.get("split.count");
    if (typeof splits === "number" && splits > 1) {
      const fix = "join them with `llama-gguf-split --merge`";
      throw new ModelError("FILE_DAMAGED", `${path}: is one of ${splits} parts of a model; ${fix}`);
    }
    const tensors = await readTensors(bytes, tensorCount, alignmentOf(metadata, bytes));
    return {
      path,
      version,
      metadata,
      tensors,
      read: (tensor, signal) => readWhole(readPieces(file, path, tensor, signal), tensor),
      pieces: (tensor, signal) => readPieces(file, path, tensor, signal),
      close: () => file.close(),
    };
  } catch (reason) {
    await file.close();
    throw reason;
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (cause) {
    throw new ModelError(
      "FILE_MISSING",
      `${path} cannot be opened (${reasonText(cause)}); give an existing GGUF file`,
      { cause },
    );
  }
}

async function readVersion(bytes: HeaderBytes): Promise<number> {
  await bytes.need(8);
  const magic = bytes.uint32();
  if (magic !== MAGIC) {
    const first = Buffer.alloc(4);
    first.writeUInt32LE(magic);
    const pointer = pointerProblem(first.toString("latin1") + bytes.text(Math.min(508, bytes.remaining)));
    if (pointer !== undefined) throw new ModelError("FILE_DAMAGED", `${bytes.path}: ${pointer}`);
    throw bytes.damaged("not a GGUF file, because it does not begin with GGUF");
  }
  const version = bytes.uint32();
  if (version !== 2 && version !== 3) {
    // In a file of the other byte order, the version is in the upper bytes.
    const what = (version & 0xffff) === 0 ? "big-endian" : `version ${version}`;
    throw new ModelError(
      "FILE_DAMAGED",
      `${bytes.path}: GGUF ${what}, but only little-endian versions 2 and 3 can be read`,
    );
  }
  return version;
}

function alignmentOf(metadata: GgufMetadata, bytes: HeaderBytes): number {
  const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
  if (typeof alignment !== "number" || alignment <= 0 || alignment % 8 !== 0) {
    throw bytes.damaged(`general.alignment is ${String(alignment)}, which is not a multiple of 8`);
  }
  return alignment;
}

async function readTensors(
  bytes: HeaderBytes,
  count: number,
  alignment: number,
): Promise<ReadonlyMap<string, GgufTensor>> {
  const listed: GgufTensor[] = [];
  for (let i = 0; i < count; i++) listed.push(await readTensorInfo(bytes, i, alignment));
  const dataStart = Math.ceil(bytes.position / alignment) * alignment;
  const tensors = new Map<string, GgufTensor>();
  for (const info of listed) {
    const offset = dataStart + info.offset;
    if (offset + info.sizeBytes > bytes.sizeBytes) {
      const end = offset + info.sizeBytes;
      throw bytes.damaged(`truncated: tensor ${info.name} ends at byte ${end} of ${bytes.sizeBytes}`);
    }
    if (tensors.has(info.name)) throw bytes.damaged(`tensor ${info.name} occurs twice`);
    tensors.set(info.name, { ...info, offset });
  }
  return tensors;
}

/** Reads the description of one tensor, whose `offset` is still relative to the start of the data. */
async function readTensorInfo(bytes: HeaderBytes, index: number, alignment: number): Promise<GgufTensor> {
  const name = await readString(bytes, `length of the name of tensor ${index}`);
  await bytes.need(4);
  const dimensions = bytes.uint32();
  if (dimensions < 1 || dimensions > 4) throw bytes.damaged(`tensor ${name} has ${dimensions} dimensions`);
  await bytes.need(dimensions * 8 + 12);
  const fileShape = Array.from({ length: dimensions }, () => Number(bytes.uint64()));
  const values = sizeOf(fileShape);
  if (!Number.isSafeInteger(values) || values < 1) {
    throw bytes.damaged(`tensor ${name} has the shape [${fileShape.join(", ")}]`);
  }
  const typeNumber = bytes.uint32();
  const type = storageTypes.get(typeNumber);
  if (type === undefined) {
    const known = [...storageTypes.values()].map((other) => other.name).join(", ");
    const found = unreadTypeNames.get(typeNumber) ?? `of type ${typeNumber}`;
    throw new ModelError(
      "DTYPE_UNSUPPORTED",
      `${bytes.path}: tensor ${name} is ${found}, but only ${known} can be read; convert the model`,
    );
  }
  const [rowValues = 0] = fileShape;
  if (rowValues % type.blockValues !== 0) {
    throw bytes.damaged(
      `tensor ${name} has rows of ${rowValues} values, which blocks of ${type.blockValues} do not divide`,
    );
  }
  const offset = Number(bytes.uint64());
  if (offset % alignment !== 0) {
    throw bytes.damaged(`tensor ${name} begins at ${offset}, which is not a multiple of ${alignment}`);
  }
  const sizeBytes = (values / type.blockValues) * type.blockBytes;
  return { name, shape: fileShape.toReversed(), type, offset, sizeBytes };
}

async function readWhole(pieces: AsyncIterable<Float32Array>, tensor: GgufTensor): Promise<Float32Array> {
  const values = new Float32Array((tensor.sizeBytes / tensor.type.blockBytes) * tensor.type.blockValues);
  let done = 0;
  for await (const piece of pieces) {
    values.set(piece, done);
    done += piece.length;
  }
  return values;
}

async function* readPieces(
  file: FileHandle,
  path: string,
  tensor: GgufTensor,
  signal?: AbortSignal,
): AsyncGenerator<Float32Array> {
  const { blockValues, blockBytes, dequantize } = tensor.type;
  const total = (tensor.sizeBytes / blockBytes) * blockValues;
  const values = new Float32Array(Math.min(PIECE_VALUES, total));
  const bytes = new Uint8Array((values.length / blockValues) * blockBytes);
  for (let done = 0; done < total; ) {
    signal?.throwIfAborted();
    const count = Math.min(PIECE_VALUES, total - done);
    const part = bytes.subarray(0, (count / blockValues) * blockBytes);
    await readExactly(file, part, tensor.offset + (done / blockValues) * blockBytes, path);
    const piece = values.subarray(0, count);
    dequantize(part, piece);
    yield piece;
    done += count;
  }
}
