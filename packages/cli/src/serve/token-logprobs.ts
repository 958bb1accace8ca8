import type { BpeTokenizer, RunLogprobs, TopLogprobs } from "@palimpsest/model";

/** Whose log-probs are told: the model's own, or those after temperature and truncation; named as vLLM names them. */
export const logprobsModes = ["raw_logprobs", "processed_logprobs"] as const;
export type LogprobsMode = (typeof logprobsModes)[number];

/** Tokens with what is told of them. */
export interface ToldTokens {
  readonly tokenIds: readonly number[];
  /** Nats; one per token. */
  readonly logprobs: readonly number[];
  readonly topLogprobs?: readonly TopLogprobs[];
}

/**
 * What is told of sampled tokens. Greedy ones have the model's own in either mode, as vLLM gives them. After a truncation
 * nothing is told of the likeliest: which of them were left out is not known here.
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
    // The same for every token of the place: what their probabilities add up to after the temperature.
    const total = (raw[i] ?? Number.NaN) / temperature - (processed[i] ?? Number.NaN);
    return { tokenIds, logprobs: logprobs.map((logprob) => logprob / temperature - total) };
  });
  return { logprobs: processed, topLogprobs };
}

/** What OpenAI's servers say where a probability is nought: JSON has no infinity. */
const least = -9999;
const shown = (logprob: number) => Math.max(least, logprob);

interface Likely {
  readonly tokenId: number;
  readonly logprob: number;
}

/** Per token of a piece: itself and the likeliest at its place, in nats. */
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

/** `bytes` is null where a token is a part of a character: its text alone does not say which bytes it is. */
function named(tokenizer: BpeTokenizer, { tokenId, logprob }: Likely) {
  const token = tokenizer.decode([tokenId]);
  return { token, logprob, bytes: token.includes("\ufffd") ? null : [...Buffer.from(token)] };
}

/** As /v1/chat/completions tells them. */
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
  /** Characters of the tokens before each, special ones and stop texts counted. */
  readonly text_offset: number[];
}

/**
 * As /v1/completions tells them: the sampled token is always among the likeliest.
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
