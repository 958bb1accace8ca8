import { entry, sizeOf, widenHalf } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { findNotFinite, type HeldParameters, type Parameters, parameterShapes } from "../base/parameters.js";
import { type HfTensor, headName, hfTensors, isRedundant } from "./hf-layout.js";
import { type WritableTensor, writableTensor } from "./safetensors-writer.js";
import { placeTransposed, takeTransposed } from "./stacking.js";
import type { TensorInfo, TensorSource } from "./tensor-source.js";

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Called with the bytes of the source read so far, and the total. */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/**
 * Reads a checkpoint's tensors into stacked parameters, piece by piece: besides the parameters, only one piece of the
 * source is in memory.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, before memory is allocated;
 *   DTYPE_UNSUPPORTED, FILE_DAMAGED, NOT_FINITE; the signal's reason
 */
export async function readParameters(
  config: ModelConfig,
  source: TensorSource,
  { signal, onProgress }: ReadOptions = {},
): Promise<Parameters> {
  const wanted = hfTensors(config);
  checkTensors(config, source.tensors);
  const infoOf = ({ name }: HfTensor) => source.tensors.get(name) as TensorInfo;
  const totalBytes = wanted.reduce((sum, tensor) => sum + infoOf(tensor).sizeBytes, 0);
  const parameters = emptyParameters(config);
  let doneBytes = 0;
  for (const tensor of wanted) {
    await source.read(tensor.name, (values, offset) => place(tensor, values, offset, parameters), signal);
    doneBytes += infoOf(tensor).sizeBytes;
    onProgress?.(doneBytes, totalBytes);
  }
  if (hasSecondHead(config, source.tensors))
    await source.read(headName, (values, offset) => checkTied(values, offset, parameters), signal);
  return parameters;
}

/**
 * Converts a checkpoint's tensors that are already in memory into stacked parameters.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, DTYPE_UNSUPPORTED, NOT_FINITE
 */
export function parametersFromHf(
  config: ModelConfig,
  tensors: Readonly<
    Record<string, { readonly shape: readonly number[]; readonly values: Float32Array | Int32Array }>
  >,
): Parameters {
  const wanted = hfTensors(config);
  checkTensors(config, new Map(Object.entries(tensors)));
  const parameters = emptyParameters(config);
  for (const tensor of wanted) {
    const values = tensors[tensor.name]?.values;
    if (!(values instanceof Float32Array)) {
      const message = `tensor ${tensor.name} contains integers instead of weights`;
      throw new ModelError("DTYPE_UNSUPPORTED", message);
    }
    place(tensor, values, 0, parameters);
  }
  const second = config.tieWordEmbeddings ? tensors[headName]?.values : undefined;
  if (second instanceof Float32Array) checkTied(second, 0, parameters);
  return parameters;
}

/** Whether a checkpoint of a tied model has a head as well; exporters write the embedding a second time. */
function hasSecondHead(config: ModelConfig, tensors: ReadonlyMap<string, unknown>): boolean {
  return config.tieWordEmbeddings && tensors.has(headName);
}

/** A head that differs would be another model: transformers uses it, and other engines the embedding. */
function checkTied(values: Float32Array, offset: number, parameters: Parameters): void {
  const embedding = entry(parameters, "embedding");
  const at = values.findIndex((value, i) => value !== embedding[offset + i]);
  if (at < 0) return;
  const message = `config.json: tie_word_embeddings is true, but ${headName} is not the embedding: its element ${offset + at} is ${values[at]}, and the embedding's is ${embedding[offset + at]}; set tie_word_embeddings to false to use this head, or remove the tensor to use the embedding`;
  throw new ModelError("CONFIG_INVALID", message);
}

/** Returns the parameters as a checkpoint's tensors, sorted by name; values are unstacked when they are written. */
export function writableTensors(config: ModelConfig, parameters: HeldParameters): WritableTensor[] {
  const byName = (a: HfTensor, b: HfTensor) => (a.name < b.name ? -1 : 1);
  return hfTensors(config)
    .sort(byName)
    .map(({ name, shape, parameter, start, transposed, added }) => {
      const stack = entry(parameters, parameter);
      const own = () => stack.subarray(start, start + sizeOf(shape));
      if (!transposed) return writableTensor(name, shape, added === 0 ? own() : less(own(), added));
      const [rows = 0, columns = 0] = shape;
      const place = { start, rows, columns };
      const fillRows = (firstRow: number, into: Float32Array) => {
        if (stack instanceof Float32Array) return takeTransposed(stack, place, firstRow, into);
        const half = new Uint16Array(into.length);
        takeTransposed(stack, place, firstRow, half);
        into.set(widenHalf(half));
      };
      return { name, shape, fillRows };
    });
}

/** Norms of some architectures are kept with 1 added to what files have. */
const less = (values: Float32Array | Uint16Array, added: number) =>
  (values instanceof Float32Array ? values : widenHalf(values)).map((value) => value - added);

function emptyParameters(config: ModelConfig): Parameters {
  return Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]) => [name, new Float32Array(sizeOf(shape))]),
  );
}

function place(tensor: HfTensor, values: Float32Array, offset: number, parameters: Parameters): void {
  const bad = findNotFinite(values);
  if (bad !== undefined) {
    const message = `tensor ${tensor.name} has the value ${values[bad]} at element ${offset + bad}: its training diverged, or the file is damaged; fetch it again`;
    throw new ModelError("NOT_FINITE", message);
  }
  const stack = entry(parameters, tensor.parameter);
  if (!tensor.transposed) {
    const { added } = tensor;
    stack.set(added === 0 ? values : values.map((value) => value + added), tensor.start + offset);
    return;
  }
  const [rows = 0, columns = 0] = tensor.shape;
  placeTransposed(values, offset, stack, { start: tensor.start, rows, columns });
}

/**
 * Checks that names and shapes are those of the config.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH
 */
export function checkTensors(
  config: ModelConfig,
  tensors: ReadonlyMap<string, Pick<TensorInfo, "shape">>,
): void {
  const wanted = hfTensors(config);
  for (const { name, shape } of wanted) {
    const stored = tensors.get(name)?.shape;
    if (stored === undefined)
      throw new ModelError("TENSOR_MISSING", `tensor ${name} is not in the checkpoint`);
    if (stored.length !== shape.length || stored.some((dimension, i) => dimension !== shape[i])) {
      const message = `tensor ${name} is [${stored.join(", ")}] but by config.json it must be [${shape.join(", ")}]`;
      throw new ModelError("SHAPE_MISMATCH", message);
    }
  }
  const second = hasSecondHead(config, tensors) ? tensors.get(headName)?.shape : undefined;
  const tied = [config.vocabSize, config.hiddenSize];
  if (second !== undefined && second.join() !== tied.join()) {
    const message = `tensor ${headName} is [${second.join(", ")}], but config.json ties it to the embedding of [${tied.join(", ")}]; set tie_word_embeddings to false, or remove the tensor`;
    throw new ModelError("SHAPE_MISMATCH", message);
  }
  const known = new Set(wanted.map(({ name }) => name));
  const unknown = [...tensors.keys()].find((name) => !known.has(name) && !isRedundant(name));
  if (unknown !== undefined) {
    const message = `tensor ${unknown} is unknown in a ${config.architecture} model; check model_type in config.json`;
    throw new ModelError("TENSOR_UNKNOWN", message);
  }
}
