import { ModelError } from "../base/error.js";
import type { Parameters } from "../base/parameters.js";
import { type ReadOptions, readParameters } from "../files/hf-weights.js";
import type { ModelFolder } from "../files/model-folder.js";
import { withTokenlessIds } from "../tokens/tokenless-ids.js";
import { modelConfigFromGguf } from "./gguf-config.js";
import type { GgufFile } from "./gguf-file.js";
import { openGguf } from "./gguf-file.js";
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

/**
 * Returns what generation_config.json would contain, from a file's metadata: the begin, end and padding tokens. Models
 * whose turns end with another token than their texts have both as end tokens.
 * @throws {ModelError} TOKENIZER_INVALID for an id that is outside the vocabulary
 */
function generationConfigFromGguf(file: GgufFile): Readonly<Record<string, unknown>> {
  const tokens = file.metadata.get("tokenizer.ggml.tokens");
  const vocabSize = Array.isArray(tokens) ? tokens.length : 0;
  const idOf = (name: string): number | undefined => {
    const key = `tokenizer.ggml.${name}_token_id`;
    const id = file.metadata.get(key);
    if (id === undefined) return undefined;
    if (typeof id === "number" && Number.isInteger(id) && id >= 0 && id < vocabSize) return id;
    const message = `${file.path}: ${key} is ${String(id)}; ids are 0 to ${vocabSize - 1}`;
    throw new ModelError("TOKENIZER_INVALID", message);
  };
  const ends = [...new Set([idOf("eos"), idOf("eot")])].filter((id) => id !== undefined);
  return {
    ...named("bos_token_id", idOf("bos")),
    ...named("eos_token_id", ends.length > 1 ? ends : ends[0]),
    ...named("pad_token_id", idOf("padding")),
  };
}

function named(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value };
}
