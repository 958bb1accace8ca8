import type { BpeTokenizer, RunLogprobs, TopLogprobs } from "@palimpsest/model";

/** Which log-probs are returned: the model's own, or those after temperature and truncation, with vLLM's names. */
export const logprobsModes = ["raw_logprobs", "processed_logprobs"] as const;
export type LogprobsMode = (typeof logprobsModes)[number];

/** Tokens with the log-probs that clients get. */
export interface ToldTokens {
  readonly tokenIds: readonly number[];
  /** One log-prob per token, in nats. */
  readonly logprobs: readonly number[];
  readonly topLogprobs?: readonly TopLogprobs[];
}

/**
 * Returns the log-probs of sampled tokens. Greedy tokens have the model's own in either mode, as in vLLM. If sampling
 * was truncated (top-k, top-p, min-p), the processed log-probs of the likeliest tokens are omitted, because it is
 * unknown here which of these tokens were left.
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
    // The softmax's normalizer is the same for every token at a position, so that distances are divided by the temperature.
    // Counted from the sampled token, its own number is the same in both places, and none above it is told below it.
    const [before, after] = [raw[i] ?? Number.NaN, processed[i] ?? Number.NaN];
    return { tokenIds, logprobs: logprobs.map((logprob) => after + (logprob - before) / temperature) };
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

/** Yields each token of a piece and the likeliest tokens at its position, with log-probs in nats. */
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

/** Formats one token. `bytes` is null if it is a part of a character, because its text does not determine its bytes. */
function named(tokenizer: BpeTokenizer, { tokenId, logprob }: Likely) {
  const token = tokenizer.decode([tokenId]);
  return { token, logprob, bytes: token.includes("\ufffd") ? null : [...Buffer.from(token)] };
}

/** Formats log-probs for /v1/chat/completions. */
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
 * Formats log-probs for /v1/completions, whose `top_logprobs` always include the sampled token.
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
