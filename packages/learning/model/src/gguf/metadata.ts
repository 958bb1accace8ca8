import type { HeaderBytes } from "./header-bytes.js";

/** A metadata value. Integers beyond 2^53 are bigint, and all other numbers are number. */
type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

export type GgufMetadata = ReadonlyMap<string, GgufValue>;

const STRING = 8;
const ARRAY = 9;
/** The format allows nested arrays, but nobody uses them. The limit keeps a hostile file from overflowing the stack. */
const MAX_DEPTH = 4;

/** The size in bytes and the reader of each value type of fixed size, by its number in the format. */
const scalars: ReadonlyMap<
  number,
  { readonly sizeBytes: number; readonly read: (bytes: HeaderBytes) => GgufValue }
> = new Map([
  [0, { sizeBytes: 1, read: (bytes: HeaderBytes) => bytes.uint8() }],
  [1, { sizeBytes: 1, read: (bytes: HeaderBytes) => bytes.int8() }],
  [2, { sizeBytes: 2, read: (bytes: HeaderBytes) => bytes.uint16() }],
  [3, { sizeBytes: 2, read: (bytes: HeaderBytes) => bytes.int16() }],
  [4, { sizeBytes: 4, read: (bytes: HeaderBytes) => bytes.uint32() }],
  [5, { sizeBytes: 4, read: (bytes: HeaderBytes) => bytes.int32() }],
  [6, { sizeBytes: 4, read: (bytes: HeaderBytes) => bytes.float32() }],
  [7, { sizeBytes: 1, read: (bytes: HeaderBytes) => bytes.uint8() !== 0 }],
  [10, { sizeBytes: 8, read: (bytes: HeaderBytes) => narrowed(bytes.uint64()) }],
  [11, { sizeBytes: 8, read: (bytes: HeaderBytes) => narrowed(bytes.int64()) }],
  [12, { sizeBytes: 8, read: (bytes: HeaderBytes) => bytes.float64() }],
]);

function narrowed(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/**
 * Reads `count` keys and their typed values.
 * @throws {ModelError} FILE_DAMAGED
 */
export async function readMetadata(bytes: HeaderBytes, count: number): Promise<GgufMetadata> {
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < count; i++) {
    const key = await readString(bytes, `length of key ${i}`);
    if (metadata.has(key)) throw bytes.damaged(`metadata key ${key} occurs twice`);
    await bytes.need(4);
    metadata.set(key, await readValue(bytes, bytes.uint32(), key, 0));
  }
  return metadata;
}

export async function readString(bytes: HeaderBytes, what: string): Promise<string> {
  if (!bytes.has(8)) await bytes.need(8);
  const length = bytes.length(what);
  if (!bytes.has(length)) await bytes.need(length);
  return bytes.text(length);
}

async function readValue(bytes: HeaderBytes, type: number, key: string, depth: number): Promise<GgufValue> {
  if (type === STRING) return await readString(bytes, `length of ${key}`);
  if (type === ARRAY) return await readArray(bytes, key, depth + 1);
  const scalar = scalars.get(type);
  if (scalar === undefined) throw bytes.damaged(`metadata ${key} has type ${type}, which does not exist`);
  await bytes.need(scalar.sizeBytes);
  return scalar.read(bytes);
}

async function readArray(bytes: HeaderBytes, key: string, depth: number): Promise<readonly GgufValue[]> {
  if (depth > MAX_DEPTH) throw bytes.damaged(`metadata ${key} nests arrays more than ${MAX_DEPTH} deep`);
  await bytes.need(12);
  const type = bytes.uint32();
  const count = bytes.length(`number of values of ${key}`);
  const values: GgufValue[] = [];
  const scalar = scalars.get(type);
  if (scalar !== undefined) {
    if (count * scalar.sizeBytes > bytes.remaining) {
      throw bytes.damaged(`truncated: metadata ${key} has ${count} values, more than the rest of the file`);
    }
    for (let i = 0; i < count; i++) {
      if (!bytes.has(scalar.sizeBytes)) await bytes.need(scalar.sizeBytes);
      values.push(scalar.read(bytes));
    }
    return values;
  }
  for (let i = 0; i < count; i++) values.push(await readValue(bytes, type, key, depth));
  return values;
}
