import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "./error.js";

const positive = z.int().positive();

const factor = z.number().positive();

/** Rotary scaling for contexts that are longer than those of pretraining. */
const ropeScalingSchema = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("linear"),
      factor: factor.describe("Factor by which all frequencies are divided"),
    })
    .describe("linear: all frequencies are divided"),
  z
    .strictObject({
      type: z.literal("dynamic"),
      factor: factor.describe("Factor that would apply to sequences of more than maxPositions tokens"),
    })
    .describe(
      "dynamic: frequencies depend on a sequence's length once it exceeds maxPositions, which no sequence does here, since cached keys would have other angles than later ones",
    ),
  z
    .strictObject({
      type: z.literal("llama3"),
      factor: factor.describe("Factor by which low frequencies are divided"),
      lowFreqFactor: factor.describe(
        "Wavelengths above originalMaxPositions / lowFreqFactor are scaled by the whole factor",
      ),
      highFreqFactor: factor.describe(
        "Wavelengths below originalMaxPositions / highFreqFactor are not scaled",
      ),
      originalMaxPositions: positive.describe("Context length in tokens before scaling"),
    })
    .describe("llama3, of Llama 3.1 and later: low frequencies are divided, high ones kept"),
  z
    .strictObject({
      type: z.literal("yarn"),
      factor: factor.describe("Factor by which low frequencies are divided"),
      originalMaxPositions: positive.describe("Context length in tokens before scaling"),
      betaFast: factor
        .default(32)
        .describe("Frequencies with more turns in originalMaxPositions are not scaled"),
      betaSlow: factor
        .default(1)
        .describe("Frequencies with fewer turns in originalMaxPositions are scaled by the whole factor"),
      truncate: z
        .boolean()
        .default(true)
        .describe("Whether the pairs between which scaling sets in are rounded to whole ones"),
      attentionFactor: factor
        .optional()
        .describe("Factor on rotated queries and keys; absent: by factor, mscale and mscaleAllDim"),
      mscale: factor.optional().describe("Weight of ln(factor) in the numerator of attentionFactor"),
      mscaleAllDim: factor.optional().describe("Weight of ln(factor) in its denominator"),
    })
    .describe("yarn, arXiv:2309.00071: low frequencies are divided, high ones kept, and scores scaled"),
]);
export type RopeScaling = z.infer<typeof ropeScalingSchema>;

const slidingWindowSchema = z.strictObject({
  size: positive.describe("Number of tokens that a token attends to, itself included"),
  layers: z.array(z.boolean()).describe("For each layer whether it attends only to the window"),
  ropeTheta: z
    .number()
    .positive()
    .optional()
    .describe(
      "Base of the rotary frequencies of these layers, without scaling; absent: rotated as all others",
    ),
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
      .enum(["llama", "qwen2", "qwen3", "gemma3"])
      .describe(
        "llama: plain; qwen2: biases on query, key and value; qwen3: RMSNorm on each query and key head; gemma3: these norms, norms after attention and feed-forward too, a gate of GELU, scaled embeddings",
      ),
    vocabSize: positive.describe("Number of token ids, which is the number of rows of the embedding"),
    hiddenSize: positive.describe("Width of the residual stream"),
    layers: positive.describe("Decoder blocks"),
    heads: positive.describe("Query heads"),
    kvHeads: positive.describe("Key and value heads; must divide heads"),
    headDim: positive.multipleOf(2).describe("Width of one head, which may differ from hiddenSize / heads"),
    intermediateSize: positive.describe("Width of the gated feed-forward layer"),
    ropeTheta: z.number().positive().default(10_000).describe("Base of the rotary embedding's frequencies"),
    ropeScaling: ropeScalingSchema
      .optional()
      .describe("Scaling of rotary frequencies for longer contexts: linear, dynamic, llama3 or yarn"),
    slidingWindow: slidingWindowSchema
      .optional()
      .describe("Layers in which a token attends only to the last tokens before it; absent: none"),
    queryPreAttnScalar: z
      .number()
      .positive()
      .optional()
      .describe("Scores of attention are divided by its square root; absent: headDim"),
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
  })
  .refine(({ slidingWindow, layers }) => (slidingWindow?.layers.length ?? layers) === layers, {
    path: ["slidingWindow", "layers"],
    message: "slidingWindow.layers must say true or false for each layer",
  })
  .refine(({ slidingWindow }) => slidingWindow?.layers.some((isLocal) => isLocal) ?? true, {
    path: ["slidingWindow", "layers"],
    message: "slidingWindow must be left out if no layer has a window",
  })
  .refine(
    ({ architecture, slidingWindow }) =>
      architecture !== "llama" || (slidingWindow?.layers.every((isLocal) => isLocal) ?? true),
    {
      path: ["slidingWindow", "layers"],
      message: "a llama has a window in all layers, as Mistral does, or in none",
    },
  )
  .refine(
    ({ architecture, slidingWindow, queryPreAttnScalar }) =>
      architecture === "gemma3"
        ? slidingWindow === undefined || slidingWindow.ropeTheta !== undefined
        : slidingWindow?.ropeTheta === undefined && queryPreAttnScalar === undefined,
    {
      path: ["architecture"],
      message:
        "slidingWindow.ropeTheta and queryPreAttnScalar are for architecture gemma3, whose windows need the former",
    },
  );

/** Shape of a decoder-only transformer: RMSNorm, rotary positions, grouped-query attention, gated feed-forward. */
export type ModelConfig = z.infer<typeof modelConfigSchema>;
export type ModelConfigInput = z.input<typeof modelConfigSchema>;

/**
 * Checks a configuration and fills its defaults.
 * @throws {ModelError} CONFIG_INVALID, naming each wrong field
 */
export function parseModelConfig(input: unknown): ModelConfig {
  return parseInput(
    modelConfigSchema,
    withScalingType(input),
    (problem, cause) => new ModelError("CONFIG_INVALID", `model config: ${problem}`, { cause }),
  );
}

/** A scaling without a type is llama3: checkpoints that were written when there was no other kind have none. */
function withScalingType(input: unknown): unknown {
  const { success, data } = z.looseObject({ ropeScaling: z.looseObject({}) }).safeParse(input);
  return success ? { ...data, ropeScaling: { type: "llama3", ...data.ropeScaling } } : input;
}

/** How many query heads share one key and value head. */
export function queryGroup(config: ModelConfig): number {
  return config.heads / config.kvHeads;
}
