import { type ModelConfig, type ModelConfigInput, parseModelConfig } from "../base/config.js";

/** A config whose sizes are all small and all different, so that no test passes by coincidence. */
export const aConfig = (changes: Partial<ModelConfigInput> = {}): ModelConfig =>
  parseModelConfig({
    architecture: "llama",
    vocabSize: 12,
    hiddenSize: 8,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 4,
    intermediateSize: 6,
    tieWordEmbeddings: false,
    maxPositions: 32,
    ...changes,
  });

export interface HandMadeTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
  /** The offsets to write in the header; default: the true ones. */
  readonly offsets?: readonly [number, number];
}

/** Builds a safetensors file by hand, correct or not. */
export function safetensorsBytes(tensors: Readonly<Record<string, HandMadeTensor>>): Buffer {
  let offset = 0;
  const header: Record<string, unknown> = {};
  for (const [name, { dtype, shape, bytes, offsets }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: offsets ?? [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...Object.values(tensors).map((tensor) => tensor.bytes)]);
}

export function f32(...values: number[]): Uint8Array {
  return new Uint8Array(new Float32Array(values).buffer);
}
