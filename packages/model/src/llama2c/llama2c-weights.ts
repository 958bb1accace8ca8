import { type FileHandle, open } from "node:fs/promises";
import { sizeOf } from "@palimpsest/jit";
import { type ModelConfig, parseModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { hfTensors } from "../files/hf-layout.js";
import { separateHalves } from "../files/separate-halves.js";
import type { TensorInfo, TensorSource, VisitValues } from "../files/tensor-source.js";

const headerBytes = 7 * 4;
/** The magic number with which files of llama2.c's later formats begin. */
const laterMagic = 0x616b3432;

/**
 * A checkpoint of llama2.c in its first format. The file begins with seven int32 (dim, hidden_dim, n_layers, n_heads,
 * n_kv_heads, vocab_size, seq_len; a negative vocab_size means that the head is not tied). They are followed by the
 * float32 weights, one kind after another, each kind for all layers. Rotary pairs are interleaved, as in Meta's files.
 * Source: github.com/karpathy/llama2.c, export.py `legacy_export`.
 */
export class Llama2cFile implements TensorSource {
  readonly config: ModelConfig;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #starts: ReadonlyMap<string, number>;

  private constructor(path: string, file: FileHandle, config: ModelConfig, sizeBytes: number) {
    this.#path = path;
    this.#file = file;
    this.config = config;
    const { starts, end } = layout(config);
    if (end !== sizeBytes) {
      const message = `${path}: has ${sizeBytes} bytes, but its header (${config.layers} layers of ${config.hiddenSize}, vocabulary ${config.vocabSize}) needs ${end}; fetch it again`;
      throw new ModelError("FILE_DAMAGED", message);
    }
    this.#starts = starts;
    this.tensors = new Map(
      hfTensors(config).map(({ name, shape }) => [
        name,
        { shape, dtype: "F32", sizeBytes: 4 * sizeOf(shape) },
      ]),
    );
  }

  /** @throws {ModelError} FILE_DAMAGED, CONFIG_INVALID, DTYPE_UNSUPPORTED */
  static async open(path: string): Promise<Llama2cFile> {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const header = Buffer.alloc(headerBytes);
      if (size < headerBytes)
        throw new ModelError("FILE_DAMAGED", `${path}: ${size} bytes, too short for a header`);
      await file.read(header, 0, headerBytes, 0);
      return new Llama2cFile(path, file, configOf(path, header), size);
    } catch (reason) {
      await file.close();
      throw reason;
    }
  }

  async read(name: string, visit: VisitValues, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const start = this.#starts.get(name);
    const info = this.tensors.get(name);
    if (start === undefined || info === undefined)
      throw new ModelError("TENSOR_MISSING", `${this.#path}: contains no tensor ${name}`);
    const values = new Float32Array(sizeOf(info.shape));
    await this.#file.read(new Uint8Array(values.buffer), 0, values.byteLength, start);
    const { heads, kvHeads, headDim } = this.config;
    if (name.endsWith("q_proj.weight")) visit(separateHalves(values, heads, headDim), 0);
    else if (name.endsWith("k_proj.weight")) visit(separateHalves(values, kvHeads, headDim), 0);
    else visit(values, 0);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function configOf(path: string, header: Buffer): ModelConfig {
  const field = (i: number) => header.readInt32LE(i * 4);
  if (field(0) === laterMagic) {
    const message = `${path}: llama2.c format ${field(1)}, but only format 0 can be read; export the model again (export.py --version 0)`;
    throw new ModelError("DTYPE_UNSUPPORTED", message);
  }
  const [hiddenSize, heads, vocab] = [field(0), field(3), field(5)];
  return parseModelConfig({
    architecture: "llama",
    vocabSize: Math.abs(vocab),
    hiddenSize,
    layers: field(2),
    heads,
    kvHeads: field(4),
    headDim: hiddenSize / heads,
    intermediateSize: field(1),
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tieWordEmbeddings: vocab > 0,
    maxPositions: field(6),
  });
}

/** Returns the index in the file of each tensor's first byte, and the index after the last tensor's last byte. */
function layout(config: ModelConfig): { readonly starts: ReadonlyMap<string, number>; readonly end: number } {
  const shapes = new Map(hfTensors(config).map(({ name, shape }) => [name, shape]));
  const starts = new Map<string, number>();
  let at = headerBytes;
  const put = (name: string) => {
    starts.set(name, at);
    at += 4 * sizeOf(shapes.get(name) as readonly number[]);
  };
  const putLayers = (suffix: string) => {
    for (let layer = 0; layer < config.layers; layer++) put(`model.layers.${layer}.${suffix}.weight`);
  };
  put("model.embed_tokens.weight");
  putLayers("input_layernorm");
  for (const side of ["q", "k", "v", "o"]) putLayers(`self_attn.${side}_proj`);
  putLayers("post_attention_layernorm");
  for (const part of ["gate", "down", "up"]) putLayers(`mlp.${part}_proj`);
  put("model.norm.weight");
  // Skips the cosines and sines of every position, which we compute ourselves.
  at += 4 * config.maxPositions * config.headDim;
  if (!config.tieWordEmbeddings) put("lm_head.weight");
  return { starts, end: at };
}
