/**
 * Responsibility: which sentences of a section a note means, so that a memory holds what stands in the text and nothing that a
 * model made of it.
 *
 * Invariant:
 * QUOTES-1. A quote consists of sentences of the section, word for word and in its order, each place with its heading, in at most
 *     the given number of tokens; it is empty if the note has no word of the section.
 */
import { sentences, words } from "@palimpsest/memory/text";
import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";
import { idsWithin } from "./whole-characters.js";

interface Sentence {
  readonly text: string;
  /** The short line without an end above the sentence's line, such as a title; "" if there is none. */
  readonly heading: string;
  readonly words: ReadonlySet<string>;
}

/** Longer lines, in characters, are text, not headings. */
const longestHeading = 100;
const endsSentence = /[.!?。！？।؟]["'”’»)\]」』]*$/u;

/**
 * Returns the sentences of a section that have most of a note's words, as many as fit. A word counts less the more often the section
 * has it, so that names and numbers decide, and once for all sentences together.
 * @param mostTokens most tokens of the quote; a first sentence that has more is cut
 * @returns token ids
 */
export function quoteOf(
  tokenizer: Tokenizer,
  note: string,
  section: string,
  mostTokens: number,
): readonly number[] {
  const parts = sentencesOf(section);
  const counts = new Map<string, number>();
  for (const part of parts) for (const word of part.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const wanted = new Map<string, number>();
  for (const word of words(note)) {
    const count = counts.get(word);
    if (count !== undefined) wanted.set(word, 1 / count);
  }
  const gainOf = (part: Sentence) => [...part.words].reduce((sum, word) => sum + (wanted.get(word) ?? 0), 0);

  const taken = new Set<Sentence>();
  let first = 0;
  let tokenIds: readonly number[] = [];
  const left = new Set(parts);
  while (wanted.size > 0 && left.size > 0) {
    let best: Sentence | undefined;
    let most = 0;
    for (const part of left) {
      const gain = gainOf(part);
      if (gain > most) [best, most] = [part, gain];
    }
    // What is left of the note is a word like "in" then.
    if (best === undefined || most <= first / 3) break;
    first = Math.max(first, most);
    left.delete(best);
    const text = textOf(parts.filter((part) => part === best || taken.has(part)));
    const ids = plainIds(tokenizer, text);
    if (ids.length > mostTokens) {
      if (taken.size === 0) return idsWithin(tokenizer, text, mostTokens);
      continue;
    }
    taken.add(best);
    tokenIds = ids;
    for (const word of best.words) wanted.delete(word);
  }
  return tokenIds;
}

const isText = (line: string): boolean => line.length > longestHeading || endsSentence.test(line);

function sentencesOf(section: string): Sentence[] {
  const lines = section.split("\n").map((line) => line.trim());
  const isHeading = (at: number) => {
    const [line = "", below = ""] = [lines[at], lines[at + 1]];
    return line !== "" && !isText(line) && isText(below);
  };
  return lines.flatMap((line, at) => {
    if (isHeading(at)) return [];
    const heading = isHeading(at - 1) ? (lines[at - 1] ?? "") : "";
    return sentences(line)
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .map((text) => ({ text, heading, words: new Set(words(`${heading} ${text}`)) }));
  });
}

/** Sentences under their headings, each of which is said once. */
function textOf(parts: readonly Sentence[]): string {
  return parts
    .map(({ text, heading }, at) =>
      heading === "" || parts[at - 1]?.heading === heading ? text : `${heading}: ${text}`,
    )
    .join(" ");
}
