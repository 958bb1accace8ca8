import type { BpeTokenizer } from "@palimpsest/model";
import type { ChoicePiece } from "./choice.js";

/** What OpenAI's servers say where a probability is nought: JSON has no infinity. */
const least = -9999;
const shown = (logprob: number) => Math.max(least, logprob);

interface Likely {
  readonly tokenId: number;
  readonly logprob: number;
}

/** Per token of a piece: itself and the likeliest at its place, in nats, before temperature and truncation. */
function* tokensOf(piece: ChoicePiece): Generator<Likely & { readonly top: readonly Likely[] }> {
  for (const [i, tokenId] of piece.tokenIds.entries()) {
    const top = piece.topLogprobs?.[i];
    yield {
      tokenId,
      logprob: shown(piece.rolloutLogprobs[i] ?? least),
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
export function chatLogprobs(tokenizer: BpeTokenizer, piece: ChoicePiece) {
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
  piece: ChoicePiece,
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
