import { ModelError } from "../base/error.js";
import type { GgufFile } from "./gguf-file.js";

/**
 * Returns what generation_config.json would contain, from a file's metadata: the begin, end and padding tokens. Models
 * whose turns end with another token than their texts have both as end tokens.
 * @throws {ModelError} TOKENIZER_INVALID for an id that is outside the vocabulary
 */
export function generationConfigFromGguf(file: GgufFile): Readonly<Record<string, unknown>> {
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
