import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";
import { wholeCharacters } from "./whole-characters.js";

/**
 * Returns the content of a reply: the sampled ids without the stop token and half characters at their end, and without
 * thinking.
 */
export type ReplyContent = (sampled: readonly number[]) => readonly number[];

/**
 * Creates the function that returns the content of replies.
 * @param thinkingEnd the mark that ends thinking, such as </think>. Everything up to the first one is removed where the reply begins with
 *   thinking, and such a reply without the mark has no content; elsewhere only a mark at the border of a line ends thinking, since
 *   texts quote it. null: nothing is removed
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
    if (last !== undefined && stopTokenIds.includes(last)) return sampled.slice(0, -1);
    return wholeCharacters(tokenizer, sampled);
  };
  if (thinkingEnd === null) return spoken;
  const mark = markIds(tokenizer, thinkingEnd);
  // A text that quotes a special token is encoded without it.
  const isSpecial = tokenizer.specialTokenId(thinkingEnd) !== undefined;
  const start = /^<\/(.+)>$/.exec(thinkingEnd)?.[1];
  const opening = start === undefined ? undefined : `<${start}>`;
  const begun = opening !== undefined && prompts.some((prompt) => prompt.trimEnd().endsWith(opening));
  return (sampled) => {
    const ids = spoken(sampled);
    const text = tokenizer.decode(ids);
    const thinks = begun || (opening !== undefined && text.trimStart().startsWith(opening));
    if (thinks || isSpecial) {
      const at = endOfFirst(ids, mark);
      if (at > 0) return ids.slice(at);
    }
    // If the mark is not a special token, the tokenizer may have merged it with neighboring text into one token.
    const end = thinks ? text.indexOf(thinkingEnd) : atBorderOfLine(text, thinkingEnd);
    if (end >= 0) return plainIds(tokenizer, text.slice(end + thinkingEnd.length));
    return thinks ? [] : ids;
  };
}

const markIds = (tokenizer: Tokenizer, text: string): readonly number[] => {
  const id = tokenizer.specialTokenId(text);
  return id === undefined ? tokenizer.encode(text) : [id];
};

/** Returns where `mark` begins or ends a line; -1 if it does nowhere. */
function atBorderOfLine(text: string, mark: string): number {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1))
    if (/(^|\n)[ \t]*$/.test(text.slice(0, at)) || /^[ \t]*\n/.test(text.slice(at + mark.length))) return at;
  return -1;
}

/** Returns the index after the first occurrence of `mark`; 0 if there is none. */
function endOfFirst(tokenIds: readonly number[], mark: readonly number[]): number {
  if (mark.length === 0) return 0;
  for (let at = 0; at <= tokenIds.length - mark.length; at++) {
    if (mark.every((id, i) => tokenIds[at + i] === id)) return at + mark.length;
  }
  return 0;
}
