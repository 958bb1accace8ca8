import type { Parameters } from "../base/parameters.js";
import { type ReadOptions, readParameters } from "../files/hf-weights.js";
import type { ModelFolder } from "../files/model-folder.js";
import { withTokenlessIds } from "../tokens/tokenless-ids.js";
import { modelConfigFromGguf } from "./gguf-config.js";
import { openGguf } from "./gguf-file.js";
import { generationConfigFromGguf } from "./gguf-generation.js";
import { tokenizerFromGguf } from "./gguf-tokenizer.js";
import { ggufWeights } from "./gguf-weights.js";

/**
 * Reads a whole GGUF file: the config, the weights as float32, and the tokenizer with its chat template. Weights are
 * read in pieces of a few MiB straight into their final memory.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, DTYPE_UNSUPPORTED, TENSOR_MISSING,
 *   TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, TOKENIZER_INVALID; the signal's reason
 */
export async function loadGguf(
  path: string,
  options: ReadOptions = {},
): Promise<ModelFolder & { readonly parameters: Parameters }> {
  const file = await openGguf(path);
  try {
    const shape = await modelConfigFromGguf(file);
    // The tokenizer is read before the weights, because it is quick and the most likely to fail.
    const tokenizer = tokenizerFromGguf(file);
    const config = withTokenlessIds(shape, (id) => tokenizer.hasToken(id));
    const generationConfig = generationConfigFromGguf(file);
    const parameters = await readParameters(config, ggufWeights(file, config), options);
    return { config, parameters, tokenizer, generationConfig };
  } finally {
    await file.close();
  }
}
