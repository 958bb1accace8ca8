import {
  type Backend,
  type JitMode,
  type JitPrecision,
  type ProductShape,
  probePrecision,
} from "@palimpsest/jit";
import type { ModelConfig } from "./config.js";
import { parameterCount } from "./parameters.js";

/** auto: bfloat16 on a CPU whose products of the model's shapes are faster in it, float32 elsewhere. */
export type WantedPrecision = "auto" | JitPrecision;

export interface ChosenPrecision {
  readonly precision: JitPrecision;
  /** Why, for logs and status. */
  readonly reason: string;
}

/** In smaller models products are no more than a part of the time, and casts around them take what they gain. */
const leastParameters = 2e6;
/** Of a few requests, and of many or of a training batch. */
const probedRows = [16, 128];
/** Of the head: all of a large vocabulary would take longer to write than to multiply. */
const mostColumns = 4096;

/**
 * The precision that a sampler or a learner of this model computes in here. A choice that was made by name stands.
 * Sampler and learner of one model on machines of one kind choose alike.
 */
export function choosePrecision(
  wanted: WantedPrecision,
  backend: Backend,
  mode: "auto" | JitMode,
  model: ModelConfig,
): ChosenPrecision {
  if (wanted !== "auto") return { precision: wanted, reason: "it is set" };
  if (mode === "eager" || mode === "xla")
    return { precision: "float32", reason: `mode ${mode} is asked for, and bfloat16 on a CPU is for graph` };
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
