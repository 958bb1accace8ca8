import {
  type Backend,
  type JitMode,
  type JitPrecision,
  type ProductShape,
  probePrecision,
} from "@palimpsest/jit";
import type { ModelConfig } from "./config.js";
import { parameterCount } from "./parameters.js";

/** auto: bfloat16 on a CPU that multiplies matrices of the model's shapes faster in it, otherwise float32. */
export type WantedPrecision = "auto" | JitPrecision;

export interface ChosenPrecision {
  readonly precision: JitPrecision;
  /** The reason for the choice, for logs and status. */
  readonly reason: string;
}

/** In smaller models matrix products are only a small part of the time, and the casts around them cost what they gain. */
const leastParameters = 2e6;
/** Row counts to measure: a few requests, and many requests or a training batch. */
const probedRows = [16, 128];
/** Columns of the head to measure: writing the whole product of a large vocabulary would take longer than multiplying. */
const mostColumns = 4096;

/**
 * Chooses the precision in which a sampler or a learner of this model computes on this machine. An explicit setting
 * is kept. Sampler and learner of one model choose alike on machines of one kind.
 */
export function choosePrecision(
  wanted: WantedPrecision,
  backend: Backend,
  mode: "auto" | JitMode,
  model: ModelConfig,
): ChosenPrecision {
  if (wanted !== "auto") return { precision: wanted, reason: "the setting precision names it" };
  if (mode === "eager" || mode === "xla")
    return { precision: "float32", reason: `mode is ${mode}, but on a CPU bfloat16 needs mode graph` };
  const parameters = parameterCount(model);
  if (parameters < leastParameters)
    return {
      precision: "float32",
      reason: `${parameters} parameters are too few for bfloat16 to be faster on a CPU`,
    };
  const { precision, reason } = probePrecision(backend, modelProducts(model));
  return { precision, reason };
}

function modelProducts(model: ModelConfig): ProductShape[] {
  const { hiddenSize, intermediateSize, heads, kvHeads, headDim, vocabSize } = model;
  return probedRows.flatMap((rows) => [
    { rows, inner: hiddenSize, columns: (heads + 2 * kvHeads) * headDim },
    { rows, inner: hiddenSize, columns: 2 * intermediateSize },
    { rows, inner: intermediateSize, columns: hiddenSize },
    { rows, inner: hiddenSize, columns: Math.min(vocabSize, mostColumns) },
  ]);
}
