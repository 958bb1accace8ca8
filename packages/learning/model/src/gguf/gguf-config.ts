import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { type ModelConfig, parseModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { ropeFrequencies } from "../forward/rope.js";
import type { GgufFile } from "./gguf-file.js";

/** The supported values of `general.architecture`. Converters write Mistral as llama, which computes the same. */
const architectures = ["llama", "qwen2", "qwen3"] as const;
type GgufArchitecture = (typeof architectures)[number];

const count = z.int().positive();

/** The keys that follow `<architecture>.`, from which the config is made. */
const shapeSchema = z.object({
  block_count: count,
  context_length: count,
  embedding_length: count,
  feed_forward_length: count,
  "attention.head_count": count,
  "attention.head_count_kv": count.optional(),
  "attention.key_length": count.optional(),
  "attention.value_length": count.optional(),
  "attention.layer_norm_rms_epsilon": z.number().positive(),
  "rope.freq_base": z.number().positive().default(10_000),
  "rope.dimension_count": count.optional(),
  "rope.scaling.type": z.string().default("none"),
  "rope.scale_linear": z.number().default(1),
  "attention.sliding_window": z.int().nonnegative().default(0),
  expert_count: z.int().nonnegative().default(0),
});

/** Keys there that do not change what the model computes: sizes that the tensors have too, and what a file was made from. */
const harmless: ReadonlySet<string> = new Set([
  "expert_used_count",
  "pooling_type",
  "rope.scaling.finetuned",
  "rope.scaling.original_context_length",
  "tensor_data_layout",
  "vocab_size",
]);

/** Keys there that change the model, and the values at which they do not. llama.cpp reads 0 as absent. */
const neutral: Readonly<Record<string, readonly unknown[]>> = {
  "attention.causal": [true],
  "attention.clamp_kqv": [0],
  "attention.max_alibi_bias": [0],
  "attention.scale": [0],
  attn_logit_softcapping: [0],
  embedding_scale: [0, 1],
  final_logit_softcapping: [0],
  logit_scale: [0, 1],
  residual_scale: [0, 1],
  "rope.scaling.attn_factor": [0, 1],
  "rope.scaling.factor": [0, 1],
  use_parallel_residual: [false],
};

/** @throws {ModelError} CONFIG_INVALID for a key that changes the model, or might */
function refuseOthers(
  file: GgufFile,
  prefix: string,
  own: readonly (readonly [string, unknown])[],
  headDim: number,
): void {
  const isUnscaled = own.some(([key, value]) => key === "rope.scaling.type" && value === "none");
  for (const [key, value] of own) {
    if (key in shapeSchema.shape || harmless.has(key) || neutral[key]?.includes(value)) continue;
    if (key === "rope.scaling.factor" && isUnscaled) continue;
    if (key === "attention.scale" && Math.abs(Number(value) * Math.sqrt(headDim) - 1) < 1e-6) continue;
    const fix =
      key in neutral
        ? "this is not supported, and the model would compute something else without it"
        : "this key is unknown, and ignoring it might give a model that computes something else";
    refuse(file, `${prefix}${key}`, value, fix);
  }
}

/** @throws {ModelError} CONFIG_INVALID */
function architectureOf(file: GgufFile): GgufArchitecture {
  const name = file.metadata.get("general.architecture");
  const architecture = architectures.find((known) => known === name);
  if (architecture === undefined) {
    refuse(
      file,
      "general.architecture",
      name,
      "use a model of architecture llama (which includes Mistral), qwen2 or qwen3",
    );
  }
  return architecture;
}

/**
 * Returns the model's config, read from a file's metadata. The vocabulary size, whether the head is tied, and llama3's
 * rotary scaling are read from its tensors.
 * @throws {ModelError} CONFIG_INVALID, naming the key; TENSOR_MISSING
 */
export async function modelConfigFromGguf(file: GgufFile): Promise<ModelConfig> {
  const architecture = architectureOf(file);
  const prefix = `${architecture}.`;
  const own = [...file.metadata].flatMap(([key, value]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), value] as const] : [],
  );
  const shape = parseInput(
    shapeSchema,
    Object.fromEntries(own),
    (problem, cause) => new ModelError("CONFIG_INVALID", `${file.path}: ${prefix}${problem}`, { cause }),
  );
  const only = (key: keyof typeof shape, expected: unknown, fix: string): void => {
    if (shape[key] !== expected) refuse(file, `${prefix}${key}`, shape[key], fix);
  };
  only("expert_count", 0, "mixtures of experts are not supported");
  only("attention.sliding_window", 0, "of a GGUF file, only full attention is supported");
  only("rope.scale_linear", 1, "linear scaling of a GGUF file is not supported");
  only(
    "rope.scaling.type",
    "none",
    "only llama3's scaling, given as the tensor rope_freqs.weight, is supported",
  );
  const heads = shape["attention.head_count"];
  const headDim = shape["attention.key_length"] ?? shape.embedding_length / heads;
  refuseOthers(file, prefix, own, headDim);
  for (const key of ["attention.value_length", "rope.dimension_count"] as const) {
    if ((shape[key] ?? headDim) !== headDim) {
      refuse(file, `${prefix}${key}`, shape[key], `it must be the width of a head, ${headDim}`);
    }
  }
  const embedding = file.tensors.get("token_embd.weight");
  if (embedding === undefined) {
    throw new ModelError("TENSOR_MISSING", `${file.path}: tensor token_embd.weight is not in the file`);
  }
  const ropeTheta = shortest(shape["rope.freq_base"]);
  const ropeScaling = await ropeScalingOf(file, ropeTheta, headDim);
  return parseModelConfig({
    architecture,
    vocabSize: embedding.shape[0],
    hiddenSize: shape.embedding_length,
    layers: shape.block_count,
    heads,
    kvHeads: shape["attention.head_count_kv"] ?? heads,
    headDim,
    intermediateSize: shape.feed_forward_length,
    ropeTheta,
    ...(ropeScaling === undefined ? {} : { ropeScaling }),
    rmsNormEps: shortest(shape["attention.layer_norm_rms_epsilon"]),
    tieWordEmbeddings: !file.tensors.has("output.weight"),
    maxPositions: shape.context_length,
  });
}

/** Returns the number with the fewest digits that has the same float32: 1e-5 and not 0.000009999999747378752. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return rounded;
  }
  return value;
}

function refuse(file: GgufFile, key: string, value: unknown, fix: string): never {
  const shown = value === undefined ? "missing" : JSON.stringify(value);
  throw new ModelError("CONFIG_INVALID", `${file.path}: ${key} is ${shown}; ${fix}`);
}

/** Converters compute their tables in float32, so these agree with ours to a few units in the last place. */
const TOLERANCE = 1e-4;

/**
 * Returns the rotary scaling of a file of Llama 3.1 or later. Instead of the four numbers of the scaling, the file
 * contains the table of divisors that follows from them (`rope_freqs.weight`). The factor is the largest divisor, and
 * the other three numbers are the same in every published model. They are returned if they reproduce the table.
 * @returns undefined when the file has no table
 * @throws {ModelError} CONFIG_INVALID when the table was computed from other numbers
 */
async function ropeScalingOf(
  file: GgufFile,
  ropeTheta: number,
  headDim: number,
): Promise<ModelConfig["ropeScaling"]> {
  const tensor = file.tensors.get("rope_freqs.weight");
  if (tensor === undefined) return undefined;
  const divisors = await file.read(tensor);
  if (divisors.every((divisor) => divisor === 1)) return undefined;
  const scaling = {
    type: "llama3" as const,
    factor: Math.max(...divisors),
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalMaxPositions: 8192,
  };
  const plain = ropeFrequencies({ ropeTheta, headDim });
  const scaled = ropeFrequencies({ ropeTheta, headDim, ropeScaling: scaling });
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
