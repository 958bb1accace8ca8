import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "./error.js";

const positive = z.int().positive();

/** Rotary scaling of Llama 3.1 and later: low frequencies are divided, high ones kept. */
const llama3RopeScalingSchema = z.strictObject({
  factor: z.number().positive().describe("Factor by which low frequencies are divided"),
  lowFreqFactor: z
    .number()
    .positive()
    .describe("Wavelengths above originalMaxPositions / lowFreqFactor are scaled by the whole factor"),
  highFreqFactor: z
    .number()
    .positive()
    .describe("Wavelengths below originalMaxPositions / highFreqFactor are not scaled"),
  originalMaxPositions: positive.describe("Context length in tokens before scaling"),
});

/** Ids from `first` on. */
const tokenlessRangeSchema = z.strictObject({
  first: z.int().nonnegative().describe("First id of the range"),
  count: positive.describe("Number of ids in the range"),
});
export type TokenlessRange = Readonly<z.infer<typeof tokenlessRangeSchema>>;

export const modelConfigSchema = z
  .strictObject({
    architecture: z
      .enum(["llama", "qwen2", "qwen3"])
      .describe(
        "llama: plain; qwen2: biases on query, key and value; qwen3: RMSNorm on each query and key head",
      ),
    vocabSize: positive.describe("Number of token ids, which is the number of rows of the embedding"),
    hiddenSize: positive.describe("Width of the residual stream"),
    layers: positive.describe("Decoder blocks"),
    heads: positive.describe("Query heads"),
    kvHeads: positive.describe("Key and value heads; must divide heads"),
    headDim: positive.multipleOf(2).describe("Width of one head, which may differ from hiddenSize / heads"),
    intermediateSize: positive.describe("Width of the gated feed-forward layer"),
    ropeTheta: z.number().positive().default(10_000).describe("Base of the rotary embedding's frequencies"),
    ropeScaling: llama3RopeScalingSchema
      .optional()
      .describe("Scaling of rotary frequencies for longer contexts, of kind llama3"),
    rmsNormEps: z
      .number()
      .positive()
      .default(1e-6)
      .describe("Epsilon of RMSNorm, which is added to the mean square"),
    tieWordEmbeddings: z.boolean().describe("Whether the embedding is also the output head"),
    maxPositions: positive.describe("Longest sequence in tokens"),
    tokenlessIds: z
      .array(tokenlessRangeSchema)
      .optional()
      .describe(
        "Ids, ascending, that have a row in the embedding but no token in the tokenizer: they are never sampled, and no softmax counts them. Absent: none",
      ),
  })
  .refine((config) => config.heads % config.kvHeads === 0, {
    path: ["kvHeads"],
    message: "kvHeads must divide heads",
  });

/** Shape of a decoder-only transformer: RMSNorm, rotary positions, grouped-query attention, SwiGLU. */
export type ModelConfig = z.infer<typeof modelConfigSchema>;
export type ModelConfigInput = z.input<typeof modelConfigSchema>;

/**
 * Checks a configuration and fills its defaults.
 * @throws {ModelError} CONFIG_INVALID, naming each wrong field
 */
export function parseModelConfig(input: unknown): ModelConfig {
  return parseInput(
    modelConfigSchema,
    input,
    (problem, cause) => new ModelError("CONFIG_INVALID", `model config: ${problem}`, { cause }),
  );
}

/** How many query heads share one key and value head. */
export function queryGroup(config: ModelConfig): number {
  return config.heads / config.kvHeads;
}
