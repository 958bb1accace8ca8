import { entry, type HalfPart, type StateSpec, sizeOf, type Tensors, widenHalf } from "@palimpsest/jit";
import type * as tf from "@tensorflow/tfjs-core";
import { architectureOf, scoreScale } from "../../base/architecture.js";
import type { ModelConfig } from "../../base/config.js";
import type { HeldParameters } from "../../base/parameters.js";

/*
 * The sampler's own layout of the weights: query, key and value are one matrix; the gains of the norms before them and attention's
 * scale are folded into the matrices (with head norms, into their gains). It computes the same function with fewer
 * kernels per token. Shallow models are unrolled and have one record per layer; deep ones run as a loop over stacks.
 */

/** Deeper models run as loops: unrolled, tracing and loading would take seconds per function. */
const deepestUnrolled = 8;

export function runsAsLoop(config: ModelConfig): boolean {
  return config.layers > deepestUnrolled;
}

/**
 * How weights are laid out: "layers", one record per layer; "stacks", stacks of all layers; "transposed", stacks whose
 * matrices are [out, in]; or, for a table of slots, "table", one record per layer at any depth with gate and up as one
 * matrix, which saves one kernel.
 */
export type WeightLayout = "layers" | "stacks" | "transposed" | "table";

/**
 * The layout for pages of a cache. oneDNN copies the right factor of a bfloat16 product into blocks at every call, and does so
 * sooner if it is transposed; the left factor it multiplies as it is (`product`). In float32 transposed weights take longer.
 * @param half whether products are in bfloat16 on a CPU
 */
export function pagesLayout(config: ModelConfig, half: boolean): WeightLayout {
  if (!runsAsLoop(config)) return "layers";
  // `isTransposed` could not tell the layouts of square matrices apart.
  return half && config.hiddenSize !== config.intermediateSize ? "transposed" : "stacks";
}

/** A second copy of the head in bfloat16, for `roughLogits`. */
export const ROUGH_HEAD = "roughHead";

/** Whether a layout has one tensor for all layers. */
export function isStacked(layout: WeightLayout): boolean {
  return layout === "stacks" || layout === "transposed";
}

/** Whether a layer's matrices are [out, in]. */
export function isTransposed({ down }: AttentionWeights, { hiddenSize }: ModelConfig): boolean {
  return down.shape[1] !== hiddenSize;
}

export type PackedTensor =
  | "attentionIn"
  | "attentionBias"
  | "headNorm"
  | "attentionOut"
  | "attentionOutNorm"
  | "gate"
  | "up"
  | "gates"
  | "down"
  | "downNorm";

/** What a layer has in every layout; bias and norms only if the architecture has them. Matrices are transposed in the layout "transposed". */
export interface AttentionWeights {
  readonly attentionIn: tf.Tensor; // [D, (H+2KV)·hd]
  readonly attentionBias?: tf.Tensor; // [(H+2KV)·hd]
  readonly headNorm?: tf.Tensor; // [H+KV, 1, hd]
  readonly attentionOut: tf.Tensor; // [H·hd, D]
  readonly attentionOutNorm?: tf.Tensor; // [D]
  readonly down: tf.Tensor; // [F, D]
  readonly downNorm?: tf.Tensor; // [D]
}

/** Weights of one layer. */
export interface LayerWeights extends AttentionWeights {
  readonly gate: tf.Tensor; // [D, F]
  readonly up: tf.Tensor; // [D, F]
}

/** Weights of one layer in the layout of a table. */
export interface TableWeights extends AttentionWeights {
  readonly gates: tf.Tensor; // [D, 2F], gate first
}

function layerShapes(
  config: ModelConfig,
  layout: WeightLayout,
): Partial<Record<PackedTensor, readonly number[]>> {
  const { hiddenSize: D, headDim, heads, kvHeads, intermediateSize: F } = config;
  const { attentionBias, headNorm, outputNorms } = architectureOf(config);
  const joined = (heads + 2 * kvHeads) * headDim;
  const matrix = (inputs: number, outputs: number) =>
    layout === "transposed" ? [outputs, inputs] : [inputs, outputs];
  return {
    attentionIn: matrix(D, joined),
    ...(attentionBias ? { attentionBias: [joined] } : {}),
    ...(headNorm ? { headNorm: [heads + kvHeads, 1, headDim] } : {}),
    attentionOut: matrix(heads * headDim, D),
    ...(outputNorms ? { attentionOutNorm: [D] } : {}),
    ...(layout === "table" ? { gates: [D, 2 * F] } : { gate: matrix(D, F), up: matrix(D, F) }),
    down: matrix(F, D),
    ...(outputNorms ? { downNorm: [D] } : {}),
  };
}

export function packedShapes(config: ModelConfig, layout: WeightLayout): Record<string, readonly number[]> {
  const { hiddenSize: D, vocabSize, layers } = config;
  const shapes: Record<string, readonly number[]> = {
    embedding: [vocabSize, D],
    ...(config.tieWordEmbeddings ? {} : { head: [vocabSize, D] }),
    finalNorm: [D],
    ...(layout === "transposed" ? { [ROUGH_HEAD]: [vocabSize, D] } : {}),
  };
  for (const [tensor, shape] of Object.entries(layerShapes(config, layout))) {
    if (isStacked(layout)) shapes[tensor] = [layers, ...shape];
    else for (let layer = 0; layer < layers; layer++) shapes[layerName(tensor, layer)] = shape;
  }
  return shapes;
}

/** Returns whether a tensor, by its name in `packedShapes`, is used in products, unlike norms and biases. */
export function isMatrix(name: string): boolean {
  const [tensor = name] = name.split(".");
  return !/(Norm|Bias)$/.test(tensor);
}

/** The stacks of a model that runs as a loop, in the order that `layerOfStacks` expects. */
export function weightStacks(state: Tensors, config: ModelConfig): tf.Tensor[] {
  return Object.keys(layerShapes(config, "stacks")).map((tensor) => entry(state, tensor));
}

/** Returns one layer's slices of `weightStacks`. */
export function layerOfStacks(slices: readonly tf.Tensor[], config: ModelConfig): LayerWeights {
  const names = Object.keys(layerShapes(config, "stacks"));
  return Object.fromEntries(names.map((name, i) => [name, slices[i]])) as unknown as LayerWeights;
}

/** Returns one layer of an unrolled model. */
export function layerOfState(state: Tensors, layer: number, config: ModelConfig): LayerWeights {
  return layerRecord(state, layer, config, "layers") as unknown as LayerWeights;
}

/** The names of one layer's weights with a table of slots. */
export function tableWeightNames(config: ModelConfig): string[] {
  return Object.keys(layerShapes(config, "table"));
}

/** Returns one layer of a model with a table of slots. */
export function layerOfTable(state: Tensors, layer: number, config: ModelConfig): TableWeights {
  return layerRecord(state, layer, config, "table") as unknown as TableWeights;
}

function layerRecord(state: Tensors, layer: number, config: ModelConfig, layout: WeightLayout) {
  const names = Object.keys(layerShapes(config, layout));
  return Object.fromEntries(names.map((name) => [name, state[layerName(name, layer)]]));
}

/** A packed tensor: its values, or the bfloat16 matrices of which the device makes it. */
export type PackedWeights = { readonly name: string } & (
  | { readonly values: Float32Array }
  | { readonly parts: readonly HalfPart[] }
);

/** The matrices that are joined to one, by their names in the parameters, and the norm whose gains are folded into their rows. */
const joins = {
  attentionIn: { matrices: ["query", "key", "value"], gains: "attentionNorm" },
  gates: { matrices: ["gate", "up"], gains: "mlpNorm" },
} as const;

/** Returns how entries of a table are written from bfloat16 matrices, by their names in `packedShapes`; undefined: not from those. */
export function halfWriting(
  name: string,
  shape: readonly number[],
  config: ModelConfig,
  asHalf: "written" | "staged" = "written",
): Pick<StateSpec, "asHalf" | "joined"> | undefined {
  if (!isMatrix(name)) return undefined;
  const { heads, kvHeads, headDim, intermediateSize: F } = config;
  const widths: Readonly<Record<string, readonly number[]>> = {
    attentionIn: [heads * headDim, kvHeads * headDim, kvHeads * headDim],
    gates: [F, F],
  };
  const joined = widths[name.split(".")[0] ?? name];
  if ([...(joined ?? []), shape.at(-1) ?? 1].some((width) => width % 2 !== 0)) return undefined;
  return { asHalf, ...(joined ? { joined } : {}) };
}

/** An entry of a table that is written from bfloat16 matrices. */
export interface HalfEntry {
  readonly name: string;
  /** The parameters of its parts, and the one whose values scale them. */
  readonly sources: readonly string[];
  readonly gains: string | undefined;
  /** Reads the gains, but no matrix. */
  readonly parts: () => readonly HalfPart[];
}

/** Returns the entries of a table that are written from bfloat16 matrices among these parameters. */
export function halfEntries(config: ModelConfig, parameters: HeldParameters): HalfEntry[] {
  return Object.entries(packedShapes(config, "table")).flatMap(([name, shape]) => {
    if (halfWriting(name, shape, config) === undefined) return [];
    const [tensor = name, layer] = name.split(".");
    const joined = tensor === "attentionIn" || tensor === "gates" ? joins[tensor] : undefined;
    const sources =
      layer === undefined ? [name] : (joined?.matrices ?? [tensor]).map((one) => `layers.${one}`);
    if (!sources.every((source) => parameters[source] instanceof Uint16Array)) return [];
    const parts = () =>
      layer === undefined
        ? [{ bits: parameters[name] as Uint16Array }]
        : (halfParts(tensor as PackedTensor, Number(layer), parameters, config) ?? []);
    return [{ name, sources, gains: joined && `layers.${joined.gains}`, parts }];
  });
}

/**
 * Yields tensor after tensor, so that only one is on the host besides the parameters, and nothing between the layers of a stack.
 * @param without tensors of layers to leave out
 */
export function* packedWeights(
  config: ModelConfig,
  parameters: HeldParameters,
  layout: WeightLayout,
  without: ReadonlySet<PackedTensor> = new Set(),
): Generator<PackedWeights | undefined> {
  const takesHalf = (name: string, shape: readonly number[]) =>
    layout === "table" && halfWriting(name, shape, config) !== undefined;
  const shapes = packedShapes(config, layout);
  for (const name of ["embedding", "head", "finalNorm"]) {
    const given = parameters[name];
    if (given === undefined) continue;
    if (given instanceof Uint16Array && takesHalf(name, shapes[name] ?? []))
      yield { name, parts: [{ bits: given }] };
    else yield { name, values: floats(given) };
  }
  if (layout === "transposed")
    yield {
      name: ROUGH_HEAD,
      values: floats(entry(parameters, config.tieWordEmbeddings ? "embedding" : "head")),
    };
  for (const [name, shape] of Object.entries(layerShapes(config, layout))) {
    const tensor = name as PackedTensor;
    if (without.has(tensor)) continue;
    const size = sizeOf(shape);
    const transposes = layout === "transposed" && isMatrix(tensor);
    const stack = isStacked(layout) ? new Float32Array(config.layers * size) : undefined;
    for (let layer = 0; layer < config.layers; layer++) {
      const parts = takesHalf(tensor, shape) ? halfParts(tensor, layer, parameters, config) : undefined;
      if (parts !== undefined) {
        yield { name: layerName(tensor, layer), parts };
        continue;
      }
      const values = stack?.subarray(layer * size, (layer + 1) * size) ?? new Float32Array(size);
      if (transposes) {
        const plain = new Float32Array(size);
        packLayer(plain, tensor, layer, parameters, config);
        transpose(plain, values, shape[1] as number);
      } else packLayer(values, tensor, layer, parameters, config);
      if (stack === undefined) yield { name: layerName(tensor, layer), values };
      else yield undefined;
    }
    if (stack !== undefined) yield { name: tensor, values: stack };
  }
}

/** Returns the matrices of one packed tensor of one layer; undefined unless all are in bfloat16. */
function halfParts(
  tensor: PackedTensor,
  layer: number,
  parameters: HeldParameters,
  config: ModelConfig,
): readonly HalfPart[] | undefined {
  const of = (name: string) => ofLayer(parameters, name, layer, config);
  const joined = tensor === "attentionIn" || tensor === "gates" ? joins[tensor] : undefined;
  const matrices = (joined?.matrices ?? [tensor]).map(of);
  if (!matrices.every((matrix) => matrix instanceof Uint16Array)) return undefined;
  if (joined === undefined) return matrices.map((bits) => ({ bits }));
  const gains = floats(of(joined.gains));
  return matrices.map((bits, index) => {
    const factor = tensor === "attentionIn" && index === 0 ? queryScale(config) : 1;
    return { bits, scales: gains.map((gain) => gain * factor) };
  });
}

function ofLayer(
  parameters: HeldParameters,
  name: string,
  layer: number,
  { layers }: ModelConfig,
): Float32Array | Uint16Array {
  const stacked = entry(parameters, `layers.${name}`);
  const size = stacked.length / layers;
  return stacked.subarray(layer * size, (layer + 1) * size);
}

export function floats(values: Float32Array | Uint16Array): Float32Array {
  return values instanceof Float32Array ? values : widenHalf(values);
}

/** Writes a matrix with this many rows to `target` with its axes swapped. */
function transpose(matrix: Float32Array, target: Float32Array, rows: number): void {
  const columns = matrix.length / rows;
  for (let column = 0; column < columns; column++) {
    const to = column * rows;
    for (let row = 0; row < rows; row++) target[to + row] = matrix[row * columns + column] as number;
  }
}

/** The factor on the query projection. A head norm would undo it, so with head norms their gains contain it instead. */
export function queryScale(config: ModelConfig): number {
  return architectureOf(config).headNorm ? 1 : scoreScale(config);
}

/** Writes one packed tensor of one layer. */
function packLayer(
  target: Float32Array,
  tensor: PackedTensor,
  layer: number,
  parameters: HeldParameters,
  config: ModelConfig,
): void {
  const { headDim, heads, kvHeads } = config;
  const of = (name: string): Float32Array => floats(ofLayer(parameters, name, layer, config));
  const outer = architectureOf(config).headNorm ? scoreScale(config) : 1;
  const inner = queryScale(config);
  switch (tensor) {
    case "attentionIn":
      joinColumns(target, joins.attentionIn.matrices.map(of), of(joins.attentionIn.gains), [inner, 1, 1]);
      break;
    case "attentionBias":
      joinColumns(target, [of("queryBias"), of("keyBias"), of("valueBias")], Float32Array.of(1), [
        inner,
        1,
        1,
      ]);
      break;
    case "headNorm":
      for (let head = 0; head < heads + kvHeads; head++) {
        const [gains, factor] = head < heads ? [of("queryNorm"), outer] : [of("keyNorm"), 1];
        for (let i = 0; i < headDim; i++) target[head * headDim + i] = (gains[i] as number) * factor;
      }
      break;
    case "gates":
      joinColumns(target, joins.gates.matrices.map(of), of(joins.gates.gains), [1, 1]);
      break;
    case "gate":
    case "up":
      joinColumns(target, [of(tensor)], of("mlpNorm"), [1]);
      break;
    default:
      target.set(of(tensor));
  }
}

/**
 * Joins matrices of the same number of rows side by side; row i is multiplied by gains[i], matrix m by factors[m]. The product of these
 * two is rounded to float32 first, as where the device does the same with bfloat16 matrices.
 */
function joinColumns(
  target: Float32Array,
  matrices: readonly Float32Array[],
  gains: Float32Array,
  factors: readonly number[],
): void {
  const rows = gains.length;
  const width = target.length / rows;
  let left = 0;
  matrices.forEach((matrix, m) => {
    const columns = matrix.length / rows;
    const factor = factors[m] as number;
    for (let row = 0; row < rows; row++) {
      const gain = Math.fround((gains[row] as number) * factor);
      const from = row * columns;
      const to = row * width + left;
      for (let column = 0; column < columns; column++) {
        target[to + column] = (matrix[from + column] as number) * gain;
      }
    }
    left += columns;
  });
}

/** A layer's tensor name in the layouts that have a record for each layer. */
export function layerName(tensor: string, layer: number): string {
  return `${tensor}.${layer}`;
}
