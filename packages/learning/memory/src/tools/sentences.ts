import { words } from "../text/words.js";

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Returns the sentences of a text, trimmed. The end of a line ends a sentence too. */
export function sentences(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => sentence !== "");
}

/** Returns the fraction of the first text's words that the second contains; 1 for a text without words. */
export function sharedWords(text: string, other: string): number {
  const own = new Set(words(text));
  const others = new Set(words(other));
  const shared = [...own].filter((word) => others.has(word)).length;
  return own.size === 0 ? 1 : shared / own.size;
}
