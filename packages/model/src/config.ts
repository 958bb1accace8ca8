import { z } from "zod";
import { ModelError } from "./error.js";

const positive = z.int().positive();

/** Rotary scaling of Llama 3.1 and later: low frequencies are stretched, high ones kept. */
const llama3RopeScalingSchema = z.strictObject({
  factor: z.number().positive().describe("How much the low frequencies are stretched"),
  lowFreqFactor: z
    .number()
    .positive()
    .describe("Wavelengths above originalMaxPositions / this are stretched"),
  highFreqFactor: z.number().positive().describe("Wavelengths below originalMaxPositions / this are kept"),
  originalMaxPositions: positive.describe("Context length before stretching, tokens"),
});

export const modelConfigSchema = z
  .strictObject({
    architecture: z
      .enum(["llama", "qwen2", "qwen3"])
      .describe(
        "llama: plain; qwen2: biases on query, key and value; qwen3: RMSNorm on each query and key head",
      ),
    vocabSize: positive.describe("Rows of the embedding"),
    hiddenSize: positive.describe("Width of the residual stream"),
    layers: positive.describe("Decoder blocks"),
    heads: positive.describe("Query heads"),
    kvHeads: positive.describe("Key and value heads; divides heads"),
    headDim: positive.multipleOf(2).describe("Width of one head; need not be hiddenSize / heads"),
    intermediateSize: positive.describe("Width of the gated feed-forward layer"),
    ropeTheta: z.number().positive().default(10_000).describe("Base of the rotary frequencies"),
    ropeScaling: llama3RopeScalingSchema.optional().describe("Stretching of rotary frequencies, llama3 kind"),
    rmsNormEps: z.number().positive().default(1e-6).describe("Added to the mean square before the root"),
    tieWordEmbeddings: z.boolean().describe("true: the embedding is also the output head"),
    maxPositions: positive.describe("Longest sequence, tokens"),
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
  const parsed = modelConfigSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(root)"}: ${issue.message}`);
  throw new ModelError("CONFIG_INVALID", `model config: ${fields.join("; ")}`, { cause: parsed.error });
}

/** How many query heads share one key and value head. */
export function queryGroup(config: ModelConfig): number {
  return config.heads / config.kvHeads;
}
