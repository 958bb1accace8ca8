/** A metadata value, and the number of the type as which it is written. */
export type Typed =
  | { readonly type: 8; readonly value: string }
  | {
      readonly type: 9;
      readonly of: number;
      readonly value: readonly (number | bigint | boolean | string | Typed)[];
    }
  | {
      readonly type: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 10 | 11 | 12;
      readonly value: number | bigint | boolean;
    };

export interface TensorToWrite {
  readonly name: string;
  /** Row-major shape with the slowest axis first. */
  readonly shape: readonly number[];
  readonly type: number;
  readonly bytes: Uint8Array;
}

export const text = (value: string): Typed => ({ type: 8, value });
export const uint32 = (value: number): Typed => ({ type: 4, value });
export const float32 = (value: number): Typed => ({ type: 6, value });
export const bool = (value: boolean): Typed => ({ type: 7, value });
export const texts = (value: readonly string[]): Typed => ({ type: 9, of: 8, value });
export const float32s = (value: readonly number[]): Typed => ({ type: 9, of: 6, value });
export const int32s = (value: readonly number[]): Typed => ({ type: 9, of: 5, value });

export function float32Tensor(name: string, shape: readonly number[], values: Float32Array): TensorToWrite {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, shape, type: 0, bytes };
}

/** Builds the bytes of a GGUF file. */
export function ggufBytes(
  metadata: Readonly<Record<string, Typed>>,
  tensors: readonly TensorToWrite[] = [],
  options: { readonly version?: number; readonly alignment?: number } = {},
): Buffer {
  const alignment = options.alignment ?? 32;
  const parts: Buffer[] = [Buffer.from("GGUF"), u32(options.version ?? 3)];
  parts.push(u64(tensors.length), u64(Object.keys(metadata).length));
  for (const [key, typed] of Object.entries(metadata))
    parts.push(string(key), u32(typed.type), written(typed));
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(string(name), u32(shape.length), ...shape.toReversed().map(u64), u32(type), u64(offset));
    offset += Math.ceil(bytes.length / alignment) * alignment;
  }
  const header = Buffer.concat(parts);
  const data = tensors.map(({ bytes }) => padded(bytes, alignment));
  return tensors.length === 0 ? header : Buffer.concat([padded(header, alignment), ...data]);
}

function written(typed: Typed): Buffer {
  if (typed.type === 8) return string(typed.value);
  if (typed.type === 9) {
    const items = typed.value.map((value) =>
      typeof value === "object" ? written(value) : written({ type: typed.of, value } as Typed),
    );
    return Buffer.concat([u32(typed.of), u64(typed.value.length), ...items]);
  }
  return scalar(typed.type, typed.value);
}

function scalar(type: number, value: number | bigint | boolean): Buffer {
  const buffer = Buffer.alloc(8);
  const at = Number(value);
  switch (type) {
    case 0:
    case 7:
      return buffer.subarray(0, buffer.writeUInt8(at));
    case 1:
      return buffer.subarray(0, buffer.writeInt8(at));
    case 2:
      return buffer.subarray(0, buffer.writeUInt16LE(at));
    case 3:
      return buffer.subarray(0, buffer.writeInt16LE(at));
    case 5:
      return buffer.subarray(0, buffer.writeInt32LE(at));
    case 6:
      return buffer.subarray(0, buffer.writeFloatLE(at));
    case 10:
      return buffer.subarray(0, buffer.writeBigUInt64LE(BigInt(value)));
    case 11:
      return buffer.subarray(0, buffer.writeBigInt64LE(BigInt(value)));
    case 12:
      return buffer.subarray(0, buffer.writeDoubleLE(at));
    default:
      return u32(at);
  }
}

function padded(bytes: Uint8Array, alignment: number): Buffer {
  return Buffer.concat([bytes], Math.ceil(bytes.length / alignment) * alignment);
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function u64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}
