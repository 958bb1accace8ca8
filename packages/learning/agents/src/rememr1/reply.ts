import { type ReplyTags, readReplyAsReleased, readTaggedReply, type Segment } from "@palimpsest/memory/text";
import type { Tokenizer } from "../sampler.js";
import { plainIds } from "../template.js";
import type { ReMemR1Config } from "./config.js";

/** What one reply says. */
export interface ReadReply {
  /** The text of the reply, without thinking and stop token. */
  readonly text: string;
  /** The new memory; null if there is none, so that the old one stays. */
  readonly memory: { readonly text: string; readonly tokenIds: readonly number[] } | null;
  /** The query for an earlier memory; null if there is none. */
  readonly query: string | null;
}

/**
 * Reads a reply as the settings say. A tagged memory whose ends are token boundaries keeps its sampled ids.
 * @param served whether the model is on a server, whose blank memories are none
 */
export function readReply(
  tokenizer: Tokenizer,
  config: ReMemR1Config,
  content: readonly number[],
  served: boolean,
): ReadReply {
  const text = tokenizer.decode(content);
  const tags: ReplyTags = { update: config.updateTag, recall: config.recallTag };
  if (config.memoryOf === "reply") {
    const { memory, query } = readReplyAsReleased(text, tags);
    if (served && memory.trim() === "") return { text, memory: null, query };
    return { text, memory: { text: memory, tokenIds: plainIds(tokenizer, memory) }, query };
  }
  const { update, recall } = readTaggedReply(text, tags);
  return {
    text,
    memory: update && { text: update.text, tokenIds: segmentIds(tokenizer, content, text, update) },
    query: recall?.text ?? null,
  };
}

/**
 * Returns the sampled ids of a segment of the decoded text. If a token crosses one of the segment's ends, the segment's
 * text is encoded again.
 */
function segmentIds(
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
