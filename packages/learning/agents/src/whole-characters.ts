import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";

/*
 * Responsibility: where ids can be cut so that no character is split. A token of a byte-level or byte-fallback
 * vocabulary may hold only some of the bytes of a character, and the halves of a split one decode to U+FFFD.
 * Invariant:
 * CHARACTERS-1. A cut moves by at most three tokens and never lengthens what is kept; text whose tokens hold whole
 *     characters is cut exactly at the bound. A character of more tokens than the bound is split, because nothing else
 *     makes progress within the bound.
 */

type Decoder = Pick<Tokenizer, "decode">;

const replacement = "\ufffd";
/** UTF-8 has at most four bytes per character, and a token holds at least one. */
export const mostTokensOfCharacter = 4;

/** Returns the last place in (`from`, `most`] where the ids can be cut; `most` if there is none (CHARACTERS-1). */
export function characterEnd(tokenizer: Decoder, ids: readonly number[], most: number, from = 0): number {
  for (let at = most; at > Math.max(from, most - mostTokensOfCharacter); at--)
    if (isBetweenCharacters(tokenizer, ids, at)) return at;
  return most;
}

/** Returns the first place in [`least`, `to`) where the ids can be cut; `least` if there is none (CHARACTERS-1). */
export function characterStart(
  tokenizer: Decoder,
  ids: readonly number[],
  least: number,
  to = ids.length,
): number {
  for (let at = least; at < Math.min(to, least + mostTokensOfCharacter); at++)
    if (isBetweenCharacters(tokenizer, ids, at)) return at;
  return least;
}

/** Returns the ids without the tokens at their end that hold only the beginning of a character, as a sampled text has that was cut at its limit. */
export function wholeCharacters(tokenizer: Decoder, ids: readonly number[]): readonly number[] {
  for (let end = ids.length; end > Math.max(-1, ids.length - mostTokensOfCharacter); end--)
    if (!tokenizer.decode(ids.slice(Math.max(0, end - mostTokensOfCharacter), end)).endsWith(replacement))
      return end === ids.length ? ids : ids.slice(0, end);
  return ids;
}

/** Returns the ids of an untrusted text, without the characters at its end that are beyond `most` tokens. */
export function idsWithin(tokenizer: Tokenizer, text: string, most: number): readonly number[] {
  const ids = plainIds(tokenizer, text);
  return ids.length <= most ? ids : ids.slice(0, characterEnd(tokenizer, ids, most));
}

/** Parts of one character decode to at least one U+FFFD on each side of a cut, and together to fewer. */
function isBetweenCharacters(tokenizer: Decoder, ids: readonly number[], at: number): boolean {
  const next = ids[at];
  if (at <= 0 || next === undefined) return true;
  const after = tokenizer.decode([next]);
  if (!after.startsWith(replacement)) return true;
  const before = ids.slice(Math.max(0, at - mostTokensOfCharacter), at);
  const apart = replacements(tokenizer.decode(before)) + replacements(after);
  return apart <= replacements(tokenizer.decode([...before, next]));
}

const replacements = (text: string): number => text.split(replacement).length - 1;
