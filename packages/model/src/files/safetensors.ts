import { open, readFile } from "node:fs/promises";
import { z } from "zod";
import { ModelError } from "../error.js";

/** Dtypes read here, with their bytes an element. */
const readable = { F32: 4, F16: 2, BF16: 2, I32: 4 } as const;
type ReadableDtype = keyof typeof readable;

const maxHeaderBytes = 100_000_000;

const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
);

/** A tensor of a file: floats of any width come as float32. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Int32Array;
}

/**
 * Reads every tensor of one safetensors file into memory.
 * @throws {ModelError} FILE_DAMAGED (truncated, bad header), DTYPE_UNSUPPORTED
 */
export async function readSafetensors(path: string): Promise<Record<string, StoredTensor>> {
  const bytes = await readFile(path);
  const damaged = (what: string, cause?: unknown) =>
    new ModelError("FILE_DAMAGED", `${path}: ${what}; fetch or write the file again`, { cause });
  if (bytes.length < 8) throw damaged(`${bytes.length} bytes, too short for a header`);
  const headerLength = Number(bytes.readBigUInt64LE(0));
  if (headerLength > maxHeaderBytes || 8 + headerLength > bytes.length) {
    throw damaged(`truncated: header of ${headerLength} bytes in a file of ${bytes.length}`);
  }
  const header = parseHeader(bytes.subarray(8, 8 + headerLength), damaged);
  const data = bytes.subarray(8 + headerLength);
  const tensors: Record<string, StoredTensor> = {};
  for (const [name, { dtype, shape, data_offsets: range }] of Object.entries(header)) {
    if (!(dtype in readable)) {
      throw new ModelError(
        "DTYPE_UNSUPPORTED",
        `${path}: tensor ${name} is ${dtype}; F32, F16, BF16 and I32 are read`,
      );
    }
    const [start, end] = range;
    const count = shape.reduce((product, dimension) => product * dimension, 1);
    if (end - start !== count * readable[dtype as ReadableDtype]) {
      throw damaged(`tensor ${name}: ${end - start} bytes for ${dtype} [${shape.join(", ")}]`);
    }
    if (end > data.length) throw damaged(`truncated: tensor ${name} ends at byte ${end} of ${data.length}`);
    tensors[name] = { shape, values: decode(dtype as ReadableDtype, data.subarray(start, end)) };
  }
  return tensors;
}

function parseHeader(
  bytes: Buffer,
  damaged: (what: string, cause?: unknown) => ModelError,
): z.infer<typeof headerSchema> {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw damaged("the header is not JSON", cause);
  }
  if (typeof json === "object" && json !== null) {
    json = Object.fromEntries(Object.entries(json).filter(([name]) => name !== "__metadata__"));
  }
  const parsed = headerSchema.safeParse(json);
  if (!parsed.success) throw damaged(`header: ${z.prettifyError(parsed.error)}`, parsed.error);
  return parsed.data;
}

function decode(dtype: ReadableDtype, bytes: Buffer): Float32Array | Int32Array {
  // A copy of its own: offsets within the file need not be multiples of four.
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  switch (dtype) {
    case "F32":
      return new Float32Array(buffer);
    case "I32":
      return new Int32Array(buffer);
    case "BF16":
      return widenBfloat16(new Uint16Array(buffer));
    case "F16":
      return widenFloat16(new Uint16Array(buffer));
  }
}

/** bfloat16 is the upper half of a float32. */
function widenBfloat16(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) words[i] = (halves[i] as number) << 16;
  return new Float32Array(words.buffer);
}

function widenFloat16(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) {
    const bits = halves[i] as number;
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >>> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) values[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) values[i] = fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    else values[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return values;
}

/**
 * Writes one F32 file and syncs it to disk. Tensors are laid out in the order of their sorted names, so
 * equal weights give equal bytes.
 */
export async function writeSafetensors(
  path: string,
  tensors: Readonly<Record<string, { readonly shape: readonly number[]; readonly values: Float32Array }>>,
): Promise<void> {
  const names = Object.keys(tensors).sort();
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let offset = 0;
  for (const name of names) {
    const { shape, values } = tensors[name] as { shape: readonly number[]; values: Float32Array };
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
  }
  const json = Buffer.from(JSON.stringify(header), "utf8");
  // Padded with spaces to a multiple of eight, so that the data is aligned when mapped.
  const headerLength = Math.ceil(json.length / 8) * 8;
  const head = Buffer.alloc(8 + headerLength, " ");
  head.writeBigUInt64LE(BigInt(headerLength), 0);
  json.copy(head, 8);
  const file = await open(path, "w");
  try {
    await file.writeFile(head);
    for (const name of names) {
      const { values } = tensors[name] as { values: Float32Array };
      await file.writeFile(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
