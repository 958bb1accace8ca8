import type { Tokenizer } from "./sampler.js";

/**
 * What a reply says: sampled ids without the stop token at their end and without a model's thinking.
 * @param thinkingEnd mark that ends thinking; everything up to the last one is left out; null: nothing is
 */
export function replyContent(
  tokenizer: Tokenizer,
  stopTokenIds: readonly number[],
  thinkingEnd: string | null,
): (sampled: readonly number[]) => readonly number[] {
  const mark = thinkingEnd === null ? [] : markIds(tokenizer, thinkingEnd);
  return (sampled) => {
    const last = sampled.at(-1);
    const text = last !== undefined && stopTokenIds.includes(last) ? sampled.slice(0, -1) : sampled;
    return text.slice(endOfLast(text, mark));
  };
}

const markIds = (tokenizer: Tokenizer, text: string): readonly number[] => {
  const id = tokenizer.specialTokenId(text);
  return id === undefined ? tokenizer.encode(text) : [id];
};

/** Index after the last occurrence of `mark`, 0 where there is none. */
function endOfLast(tokenIds: readonly number[], mark: readonly number[]): number {
  if (mark.length === 0) return 0;
  for (let at = tokenIds.length - mark.length; at >= 0; at--) {
    if (mark.every((id, i) => tokenIds[at + i] === id)) return at + mark.length;
  }
  return 0;
}
