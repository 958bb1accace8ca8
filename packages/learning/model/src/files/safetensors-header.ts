import type { FileHandle } from "node:fs/promises";
import { sizeOf } from "@palimpsest/jit";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "../base/error.js";
import { pointerProblem } from "./pointer.js";

/** Dtypes that are read as numbers here, with their bytes per element. */
export const readableDtypes = { F32: 4, F16: 2, BF16: 2, I32: 4 } as const;
export type ReadableDtype = keyof typeof readableDtypes;

const maxHeaderBytes = 100_000_000;

const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
);

const metadataSchema = z.record(z.string(), z.string()).optional();

/** The position of a tensor in its file. */
export interface TensorPlace {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Index in the file of the tensor's first byte; `end` is the index after its last byte. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads and checks the header of a safetensors file: every byte of the data belongs to exactly one tensor,
 * and each tensor has as many bytes as its shape needs.
 * @throws {ModelError} FILE_DAMAGED
 */
export async function readHeader(path: string, file: FileHandle): Promise<ReadonlyMap<string, TensorPlace>> {
  const { size } = await file.stat();
  const damaged = (what: string, cause?: unknown) =>
    new ModelError("FILE_DAMAGED", `${path}: ${what}; fetch or write the file again`, { cause });
  if (size < 8) throw damaged(`${size} bytes, too short for a header`);
  const lengthBytes = Buffer.alloc(8);
  await file.read(lengthBytes, 0, 8, 0);
  const headerLength = Number(lengthBytes.readBigUInt64LE(0));
  if (headerLength > maxHeaderBytes || 8 + headerLength > size) {
    const other = await otherContent(file);
    if (other !== undefined) throw new ModelError("FILE_DAMAGED", `${path}: ${other}`);
    throw damaged(`truncated: header of ${headerLength} bytes in a file of ${size}`);
  }
  const json = Buffer.alloc(headerLength);
  await file.read(json, 0, headerLength, 8);
  const dataStart = 8 + headerLength;
  const places = Object.entries(parseHeader(json, damaged)).map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [start, end],
      },
    ]): [string, TensorPlace] => [name, { dtype, shape, start: dataStart + start, end: dataStart + end }],
  );
  checkPlaces(places, dataStart, size, damaged);
  return new Map(places);
}

/** Names what a download left in place of the weights, with what to do. */
async function otherContent(file: FileHandle): Promise<string | undefined> {
  const start = Buffer.alloc(512);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  const text = start
    .toString("utf8", 0, bytesRead)
    .replace(/^\ufeff/, "")
    .trimStart();
  const pointer = pointerProblem(text);
  if (pointer !== undefined) return pointer;
  if (/^(<!doctype|<html|<\?xml)/i.test(text))
    return "is a web page and not the weights, as a server gives when it asks for a login or shows an error; fetch the file again, with HF_TOKEN if the model is gated";
  if (text.startsWith("{")) return `is JSON and not the weights: ${text.slice(0, 100)}; fetch the file again`;
  return undefined;
}

type Damaged = (what: string, cause?: unknown) => ModelError;

function parseHeader(bytes: Buffer, damaged: Damaged): z.infer<typeof headerSchema> {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw damaged("the header is not JSON", cause);
  }
  if (typeof json === "object" && json !== null) {
    const metadata = metadataSchema.safeParse(
      Object.entries(json).find(([name]) => name === "__metadata__")?.[1],
    );
    if (!metadata.success)
      throw damaged("__metadata__ in the header must have texts as values", metadata.error);
    json = Object.fromEntries(Object.entries(json).filter(([name]) => name !== "__metadata__"));
  }
  return parseInput(headerSchema, json, (problem, cause) => damaged(`header: ${problem}`, cause));
}

function checkPlaces(
  places: readonly (readonly [string, TensorPlace])[],
  dataStart: number,
  sizeBytes: number,
  damaged: Damaged,
): void {
  let [reached, before] = [dataStart, "the header"];
  for (const [name, { dtype, shape, start, end }] of places.toSorted(([, a], [, b]) => a.start - b.start)) {
    const bytesEach = readableDtypes[dtype as ReadableDtype] as number | undefined;
    const elements = sizeOf(shape);
    if (end < start || (bytesEach !== undefined && end - start !== elements * bytesEach)) {
      throw damaged(`tensor ${name}: ${end - start} bytes for ${dtype} [${shape.join(", ")}]`);
    }
    if (start < reached) throw damaged(`tensor ${name} overlaps ${before}`);
    if (start > reached) throw damaged(`${start - reached} bytes before tensor ${name} belong to no tensor`);
    if (end > sizeBytes) {
      throw damaged(`truncated: tensor ${name} ends at byte ${end} of ${sizeBytes}`);
    }
    [reached, before] = [end, name];
  }
  if (reached < sizeBytes) throw damaged(`${sizeBytes - reached} bytes at the end belong to no tensor`);
}
