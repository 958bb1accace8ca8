import type { BpeTokenizer, RunLogprobs, TopLogprobs } from "@palimpsest/model";

/** Which log-probs are returned: the model's own, or those after temperature and truncation, with vLLM's names. */
export const logprobsModes = ["raw_logprobs", "processed_logprobs"] as const;
export type LogprobsMode = (typeof logprobsModes)[number];

/** Tokens with their log-probs. */
export interface ToldTokens {
  readonly tokenIds: readonly number[];
  /** Nats; one per token. */
  readonly logprobs: readonly number[];
  readonly topLogprobs?: readonly TopLogprobs[];
}

/**
 * Returns the log-probs of sampled tokens. Greedy tokens have the model's own in either mode, as in vLLM. After a
 * truncation the likeliest tokens are omitted, because it is unknown here which of them were truncated.
 */
export function toldLogprobs(
  { rolloutLogprobs: raw, sampledLogprobs: processed, topLogprobs: top }: RunLogprobs,
  { temperature, truncated }: { readonly temperature: number; readonly truncated: boolean },
  mode: LogprobsMode,
): Omit<ToldTokens, "tokenIds"> {
  if (mode === "raw_logprobs" || temperature === 0)
    return { logprobs: raw, ...(top === undefined ? {} : { topLogprobs: top }) };
  if (top === undefined || truncated) return { logprobs: processed };
  const topLogprobs = top.map(({ tokenIds, logprobs }, i) => {
    // The same for every token at the position: the sum of their probabilities after the temperature.
    const total = (raw[i] ?? Number.NaN) / temperature - (processed[i] ?? Number.NaN);
    return { tokenIds, logprobs: logprobs.map((logprob) => logprob / temperature - total) };
  });
  return { logprobs: processed, topLogprobs };
}

/** The value that OpenAI's servers return for a probability of zero, because JSON has no infinity. */
const least = -9999;
const shown = (logprob: number) => Math.max(least, logprob);

interface Likely {
  readonly tokenId: number;
  readonly logprob: number;
}

/** For each token of a piece: the token itself and the likeliest ones at its position, in nats. */
function* tokensOf(piece: ToldTokens): Generator<Likely & { readonly top: readonly Likely[] }> {
  for (const [i, tokenId] of piece.tokenIds.entries()) {
    const top = piece.topLogprobs?.[i];
    yield {
      tokenId,
      logprob: shown(piece.logprobs[i] ?? least),
      top: (top?.tokenIds ?? []).map((id, k) => ({ tokenId: id, logprob: shown(top?.logprobs[k] ?? least) })),
    };
  }
}

/** `bytes` is null if a token is a part of a character, because its text does not determine its bytes. */
function named(tokenizer: BpeTokenizer, { tokenId, logprob }: Likely) {
  const token = tokenizer.decode([tokenId]);
  return { token, logprob, bytes: token.includes("\ufffd") ? null : [...Buffer.from(token)] };
}

/** Formats them for /v1/chat/completions. */
export function chatLogprobs(tokenizer: BpeTokenizer, piece: ToldTokens) {
  return Array.from(tokensOf(piece), ({ top, ...token }) => ({
    ...named(tokenizer, token),
    top_logprobs: top.map((likely) => named(tokenizer, likely)),
  }));
}

export interface CompletionLogprobs {
  readonly tokens: string[];
  readonly token_logprobs: number[];
  readonly top_logprobs: Record<string, number>[];
  /** The number of characters before each token, including special tokens and stop strings. */
  readonly text_offset: number[];
}

/**
 * Formats them for /v1/completions, where the sampled token is always among the likeliest.
 * @param offset characters before the piece
 */
export function completionLogprobs(
  tokenizer: BpeTokenizer,
  piece: ToldTokens,
  { asIds, offset }: { readonly asIds: boolean; readonly offset: number },
): CompletionLogprobs {
  const name = (id: number) => (asIds ? `token_id:${id}` : tokenizer.decode([id]));
  const told: CompletionLogprobs = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
  let at = offset;
  for (const { tokenId, logprob, top } of tokensOf(piece)) {
    told.tokens.push(name(tokenId));
    told.token_logprobs.push(logprob);
    const likely = [...top, { tokenId, logprob }].map((each) => [name(each.tokenId), each.logprob] as const);
    told.top_logprobs.push(Object.fromEntries(likely));
    told.text_offset.push(at);
    at += tokenizer.decode([tokenId]).length;
  }
  return told;
}
