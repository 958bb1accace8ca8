import { type ModelConfig, parseModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { ropeFrequencies } from "../rope.js";
import type { GgufFile } from "./gguf-file.js";

/** Tables of the converters are float32 of numbers computed in float32: agreement to a few units of its last place. */
const TOLERANCE = 1e-4;

/**
 * A file of Llama 3.1 or later has, in place of the four numbers of its rotary scaling, the table of
 * divisors that they make (`rope_freqs.weight`). Of the four, the factor is the largest divisor and the
 * others are the same in every published model; they are taken when they make this very table.
 * @returns undefined when the file has no table
 * @throws {ModelError} CONFIG_INVALID when other numbers made the table
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
    "rope_freqs.weight is not the table of llama3's scaling from 8,192 positions; only that is read";
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
