import type { ModelFolder } from "../files/model-folder.js";
import type { Parameters } from "../parameters.js";
import { modelConfigFromGguf } from "./gguf-config.js";
import { openGguf } from "./gguf-file.js";
import { tokenizerFromGguf } from "./gguf-tokenizer.js";
import { parametersFromGguf } from "./gguf-weights.js";

export interface LoadGgufOptions {
  /** Bytes of the file's tensors read so far, and in all. */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads a GGUF file whole: config, weights as float32, tokenizer with chat template.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, DTYPE_UNSUPPORTED, TENSOR_MISSING,
 *   TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, TOKENIZER_INVALID
 */
export async function loadGguf(
  path: string,
  options: LoadGgufOptions = {},
): Promise<ModelFolder & { readonly parameters: Parameters }> {
  const file = await openGguf(path);
  try {
    const config = await modelConfigFromGguf(file);
    // Before the weights: it takes no time and is what fails.
    const tokenizer = tokenizerFromGguf(file);
    return { config, parameters: await parametersFromGguf(file, config, options), tokenizer };
  } finally {
    await file.close();
  }
}
