import type { BpeTokenizer } from "./bpe-tokenizer.js";

/** What generation_config.json says, as `loadGenerationConfig` reads it. */
export type GenerationConfig = Readonly<Record<string, unknown>>;

/** Returns the ids that a configuration names as `eos_token_id`: one, several or none. */
export function listedEndTokenIds(config: GenerationConfig | undefined): number[] {
  const listed = config?.["eos_token_id"];
  const ids: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  return ids.filter((id): id is number => typeof id === "number" && Number.isInteger(id) && id >= 0);
}

/**
 * Returns the ids that end an answer, by the one rule of training, serving and asking: the end token of the tokenizer
 * and those of generation_config.json and config.json, as far as the tokenizer has them.
 */
export function endTokenIds(tokenizer: BpeTokenizer, config: GenerationConfig | undefined): number[] {
  const { endToken } = tokenizer;
  const named = endToken === undefined ? undefined : tokenizer.specialTokenId(endToken);
  const listed = listedEndTokenIds(config).filter((id) => tokenizer.hasToken(id));
  return [...new Set([...(named === undefined ? [] : [named]), ...listed])];
}

/** Returns the texts of the end tokens that are added tokens, which agents name by text. */
export function endTokens(tokenizer: BpeTokenizer, config: GenerationConfig | undefined): string[] {
  return endTokenIds(tokenizer, config)
    .map((id) => tokenizer.decode([id]))
    .filter((text) => tokenizer.specialTokenId(text) !== undefined);
}
