import type { Tokenizer } from "./sampler.js";
import { plainIds } from "./template.js";

/** Returns the content of a reply: the sampled ids without the stop token at their end and without thinking. */
export type ReplyContent = (sampled: readonly number[]) => readonly number[];

/**
 * Creates the function that returns the content of replies.
 * @param thinkingEnd the mark that ends thinking, such as </think>. Everything up to the last one is removed, and a
 *   reply whose thinking has not ended has no content. null: nothing is removed
 * @param prompts the texts that replies follow; a reply begins with thinking if one of them ends by opening it
 */
export function replyContent(
  tokenizer: Tokenizer,
  stopTokenIds: readonly number[],
  thinkingEnd: string | null,
  prompts: readonly string[] = [],
): ReplyContent {
  const spoken = (sampled: readonly number[]) => {
    const last = sampled.at(-1);
    return last !== undefined && stopTokenIds.includes(last) ? sampled.slice(0, -1) : sampled;
  };
  if (thinkingEnd === null) return spoken;
  const mark = markIds(tokenizer, thinkingEnd);
  const start = /^<\/(.+)>$/.exec(thinkingEnd)?.[1];
  const opening = start === undefined ? undefined : `<${start}>`;
  const begun = opening !== undefined && prompts.some((prompt) => prompt.trimEnd().endsWith(opening));
  return (sampled) => {
    const ids = spoken(sampled);
    const at = endOfLast(ids, mark);
    if (at > 0) return ids.slice(at);
    const text = tokenizer.decode(ids);
    // If the mark is not a special token, the tokenizer may have merged it with neighboring text into one token.
    const end = text.lastIndexOf(thinkingEnd);
    if (end >= 0) return plainIds(tokenizer, text.slice(end + thinkingEnd.length));
    const cut = begun || (opening !== undefined && text.trimStart().startsWith(opening));
    return cut ? [] : ids;
  };
}

const markIds = (tokenizer: Tokenizer, text: string): readonly number[] => {
  const id = tokenizer.specialTokenId(text);
  return id === undefined ? tokenizer.encode(text) : [id];
};

/** Returns the index after the last occurrence of `mark`; 0 if there is none. */
function endOfLast(tokenIds: readonly number[], mark: readonly number[]): number {
  if (mark.length === 0) return 0;
  for (let at = tokenIds.length - mark.length; at >= 0; at--) {
    if (mark.every((id, i) => tokenIds[at + i] === id)) return at + mark.length;
  }
  return 0;
}
