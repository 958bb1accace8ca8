import type { Segment } from "@palimpsest/memory/text";
import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";

/**
 * Returns the sampled ids of a segment of the decoded text. If a token crosses one of the segment's ends, the segment's
 * text is encoded again.
 */
export function segmentIds(
  tokenizer: Tokenizer,
  tokenIds: readonly number[],
  text: string,
  { text: wanted, start, end }: Segment,
): readonly number[] {
  const from = tokensBefore(tokenizer, tokenIds, text, start);
  const to = tokensBefore(tokenizer, tokenIds, text, end);
  if (from !== null && to !== null) {
    const ids = tokenIds.slice(from, to);
    if (tokenizer.decode(ids) === wanted) return ids;
  }
  return plainIds(tokenizer, wanted);
}

/**
 * Returns how many tokens spell the text up to a position; null if no token ends there. It bisects, because a reply may
 * be long.
 */
function tokensBefore(
  tokenizer: Tokenizer,
  tokenIds: readonly number[],
  text: string,
  place: number,
): number | null {
  let low = 0;
  let high = tokenIds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokenizer.decode(tokenIds.slice(0, middle)).length < place) low = middle + 1;
    else high = middle;
  }
  return tokenizer.decode(tokenIds.slice(0, low)) === text.slice(0, place) ? low : null;
}
