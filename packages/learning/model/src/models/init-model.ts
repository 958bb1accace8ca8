import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { modelConfigSchema, parseModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { initParameters } from "../base/parameters.js";
import type { ModelFolder } from "../files/model-folder.js";
import { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import { trainBpe } from "../tokens/bpe-trainer.js";

const size = z.int().positive();

/** A small random model and its own tokenizer, for experiments and tests. */
export const modelInitSchema = z.strictObject({
  seed: z.int().min(0).default(1).describe("seed of the weights"),
  tokenizer: z
    .strictObject({
      vocabSize: z
        .int()
        .min(2)
        .default(1024)
        .describe("most token ids, which special tokens, bytes and merges share"),
      specialTokens: z
        .array(z.string().min(1))
        .default(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
        .describe("special tokens, which get the first ids"),
      endToken: z
        .string()
        .min(1)
        .default("<|im_end|>")
        .describe("the one of specialTokens that ends an answer"),
      alphabet: z
        .enum(["bytes", "corpus"])
        .default("bytes")
        .describe(
          "bytes that can be encoded. bytes: all, and so any text; corpus: only those of the given texts, which makes the vocabulary smaller",
        ),
    })
    .prefault({})
    .describe("byte-level BPE trained on the given texts"),
  model: z
    .strictObject({
      architecture: modelConfigSchema.shape.architecture.default("llama"),
      layers: size.default(4).describe("decoder blocks"),
      hiddenSize: size.default(256).describe("width of the residual stream"),
      heads: size.default(4).describe("query heads"),
      kvHeads: size.optional().describe("key and value heads; absent: as many as heads"),
      headDim: size.multipleOf(2).optional().describe("width of one head; absent: hiddenSize / heads"),
      intermediateSize: size
        .optional()
        .describe("width of the feed-forward layer; absent: 8/3 of hiddenSize"),
      maxPositions: size.default(2048).describe("longest sequence in tokens"),
      tieWordEmbeddings: z.boolean().default(false).describe("whether the embedding is also the output head"),
      ropeTheta: modelConfigSchema.shape.ropeTheta,
      rmsNormEps: modelConfigSchema.shape.rmsNormEps,
    })
    .prefault({})
    .describe("shape of the transformer"),
});
export type ModelInit = z.infer<typeof modelInitSchema>;

/** @throws {ModelError} CONFIG_INVALID, naming each wrong field */
export function parseModelInit(input: unknown): ModelInit {
  const init = parseInput(
    modelInitSchema,
    input,
    (problem, cause) => new ModelError("CONFIG_INVALID", `model init: ${problem}`, { cause }),
  );
  const { endToken, specialTokens } = init.tokenizer;
  if (!specialTokens.includes(endToken)) {
    const message = `model init: tokenizer.endToken is "${endToken}", which specialTokens does not contain; add it there`;
    throw new ModelError("CONFIG_INVALID", message);
  }
  return init;
}

/**
 * Trains the tokenizer on texts and draws the weights; the same texts, settings and seed give the same model.
 * @throws {ModelError} CONFIG_INVALID
 */
export function initModel(init: ModelInit, texts: Iterable<string>): ModelFolder {
  const { vocabSize, specialTokens, endToken, alphabet } = init.tokenizer;
  const trained = trainBpe(texts, { vocabSize, specialTokens, alphabet });
  const tokenizer = new BpeTokenizer(trained.json, { ...trained.configJson, eos_token: endToken });
  const { heads, hiddenSize, kvHeads, headDim, intermediateSize, ...rest } = init.model;
  if (headDim === undefined && hiddenSize % (2 * heads) !== 0)
    throw new ModelError(
      "CONFIG_INVALID",
      `model init: hiddenSize ${hiddenSize} does not divide into ${heads} heads of an even width; change one of them, or give headDim`,
    );
  const config = parseModelConfig({
    ...rest,
    heads,
    hiddenSize,
    vocabSize: tokenizer.vocabSize,
    kvHeads: kvHeads ?? heads,
    headDim: headDim ?? hiddenSize / heads,
    intermediateSize: intermediateSize ?? Math.round((hiddenSize * 8) / 3),
  });
  return { config, tokenizer, parameters: initParameters(config, init.seed) };
}
