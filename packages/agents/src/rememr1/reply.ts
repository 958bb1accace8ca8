import { type ReplyTags, readReplyAsReleased, readTaggedReply, type Segment } from "@palimpsest/memory/text";
import type { Tokenizer } from "../sampler.js";
import { plainIds } from "../template.js";
import type { ReMemR1Config } from "./config.js";

/** What one reply does. */
export interface ReadReply {
  /** Without thinking and stop token. */
  readonly text: string;
  /** The new memory; null: there is none, the old one stays. */
  readonly memory: { readonly text: string; readonly tokenIds: readonly number[] } | null;
  /** Null: nothing is asked for. */
  readonly query: string | null;
}

/** Reads a reply as the settings say; a memory that begins and ends where tokens do keeps its sampled ids. */
export function readReply(
  tokenizer: Tokenizer,
  config: ReMemR1Config,
  content: readonly number[],
): ReadReply {
  const text = tokenizer.decode(content);
  const tags: ReplyTags = { update: config.updateTag, recall: config.recallTag };
  if (config.memoryOf === "reply") {
    const { memory, query } = readReplyAsReleased(text, tags);
    return { text, memory: { text: memory, tokenIds: plainIds(tokenizer, memory) }, query };
  }
  const { update, recall } = readTaggedReply(text, tags);
  return {
    text,
    memory: update && { text: update.text, tokenIds: segmentIds(tokenizer, content, text, update) },
    query: recall?.text ?? null,
  };
}

/** The ids that spell a segment of the decoded text; where tokens run over its ends the text is encoded again. */
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

/** How many tokens spell the text up to a place; null where none end there. Bisects: a reply may be long. */
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
