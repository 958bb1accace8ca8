import type { ChoiceEnd, ChoicePiece, ChoiceRequest } from "./choice.js";

/** Writes one choice in the words of its endpoint, either as chunks while it is sampled or whole at its end. */
export interface ChoiceWriter {
  /** Chunks before the first token. */
  begin(): readonly object[];
  /** The chunk of a piece; undefined where it tells nothing. */
  push(piece: ChoicePiece): object | undefined;
  /** The last chunks, with the reason why it ended. */
  end(end: ChoiceEnd): readonly object[];
  /** The whole choice; only after `end`. */
  whole(): object;
}

/** A request that was checked: what is to be sampled, and how it is told. */
export interface Asked {
  readonly choices: readonly ChoiceRequest[];
  /** Prompt tokens, those of a prompt with several choices counted once. */
  readonly promptTokens: number;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly idPrefix: string;
  /** The field `object` of an answer and of a chunk. */
  readonly object: { readonly whole: string; readonly chunk: string };
  writer(index: number): ChoiceWriter;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export function usageOf({ promptTokens }: Asked, ends: readonly ChoiceEnd[]): Usage {
  const sampled = ends.reduce((sum, { sampledTokens }) => sum + sampledTokens, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: sampled,
    total_tokens: promptTokens + sampled,
  };
}
