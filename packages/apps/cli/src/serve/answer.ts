import type { ChoiceEnd, ChoicePiece, ChoiceRequest } from "./choice.js";

/** Formats one choice for its endpoint, either as chunks while it is sampled or as a whole at its end. */
export interface ChoiceWriter {
  /** Returns the chunks before the first token. */
  begin(): readonly object[];
  /** Returns the chunk of a piece; undefined if it has no content. */
  push(piece: ChoicePiece): object | undefined;
  /** Returns the last chunks, with the finish reason. */
  end(end: ChoiceEnd): readonly object[];
  /** Returns the whole choice; call it only after `end`. */
  whole(): object;
}

/** A validated request: the sampling, and the format of the answer. */
export interface Asked {
  readonly choices: readonly ChoiceRequest[];
  /** The number of prompt tokens; a prompt with several choices counts once. */
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
