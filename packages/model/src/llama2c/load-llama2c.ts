import { type ReadOptions, readParameters } from "../files/hf-weights.js";
import type { ModelFolder } from "../files/model-folder.js";
import type { Parameters } from "../parameters.js";
import { readLlama2cTokenizer } from "./llama2c-tokenizer.js";
import { Llama2cFile } from "./llama2c-weights.js";

/**
 * Reads a checkpoint of llama2.c and the tokenizer that belongs to it.
 * @throws {ModelError} FILE_DAMAGED, CONFIG_INVALID, DTYPE_UNSUPPORTED, NOT_FINITE, TOKENIZER_INVALID
 */
export async function loadLlama2c(
  path: string,
  options: ReadOptions & {
    /** The tokenizer's file. Default: none, and the model then has no tokenizer. */
    readonly tokenizerPath?: string;
  } = {},
): Promise<ModelFolder & { readonly parameters: Parameters }> {
  const file = await Llama2cFile.open(path);
  try {
    const { config } = file;
    const { tokenizerPath } = options;
    const tokenizer =
      tokenizerPath === undefined ? undefined : await readLlama2cTokenizer(tokenizerPath, config.vocabSize);
    const parameters = await readParameters(config, file, options);
    return tokenizer === undefined ? { config, parameters } : { config, parameters, tokenizer };
  } finally {
    await file.close();
  }
}
