import { type ModelConfig, parseModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { ropeFrequencies } from "../forward/rope.js";
import type { GgufFile } from "./gguf-file.js";

/** Converters compute their tables in float32, so these agree with ours to a few units in the last place. */
const TOLERANCE = 1e-4;

/**
 * Returns the rotary scaling of a file of Llama 3.1 or later. Instead of the four numbers of the scaling, the file
 * contains the table of divisors that follows from them (`rope_freqs.weight`). The factor is the largest divisor, and
 * the other three numbers are the same in every published model. They are returned if they reproduce the table.
 * @returns undefined when the file has no table
 * @throws {ModelError} CONFIG_INVALID when the table was computed from other numbers
 */
export async function ropeScalingOf(
  file: GgufFile,
  ropeTheta: number,
  headDim: number,
): Promise<ModelConfig["ropeScaling"]> {
  const tensor = file.tensors.get("rope_freqs.weight");
  if (tensor === undefined) return undefined;
  const divisors = await file.read(tensor);
  if (divisors.every((divisor) => divisor === 1)) return undefined;
  const scaling = {
    factor: Math.max(...divisors),
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalMaxPositions: 8192,
  };
  const plain = frequencies({}, ropeTheta, headDim);
  const scaled = frequencies({ ropeScaling: scaling }, ropeTheta, headDim);
  const same =
    divisors.length === plain.length &&
    plain.every((frequency, i) => {
      const divisor = frequency / (scaled[i] as number);
      return Math.abs((divisors[i] as number) / divisor - 1) < TOLERANCE;
    });
  if (same) return scaling;
  const message =
    "rope_freqs.weight is not the table of llama3's scaling from 8,192 positions, the only one that is supported";
  throw new ModelError("CONFIG_INVALID", `${file.path}: ${message}`);
}

function frequencies(
  scaling: Pick<ModelConfig, "ropeScaling">,
  ropeTheta: number,
  headDim: number,
): number[] {
  const heads = { layers: 1, heads: 1, kvHeads: 1, headDim, hiddenSize: headDim, intermediateSize: 1 };
  const rest = { vocabSize: 1, tieWordEmbeddings: true, maxPositions: 1 };
  return ropeFrequencies(
    parseModelConfig({ architecture: "llama", ...heads, ...rest, ropeTheta, ...scaling }),
  );
}
