/** Splits text into words that can be compared: case, marks and endings are removed. */
import { foldText, orderedWords, sentences } from "@palimpsest/memory/text";

/** Words that say nothing about the subject of a sentence. */
const empty = new Set(
  "a an the of to in on at by for from with and or but as is are was were be been being am do does did has have had it its this that these those he she they them his her their there then than so not no who whom which what when where i you we my your our me us him also into about over after before".split(
    " ",
  ),
);

/** Removes the endings in which two phrasings of the same statement may differ. */
function stem(word: string): string {
  const bare = word.replace(/['’]s$/, "");
  if (bare.length > 5 && bare.endsWith("ing")) return bare.slice(0, -3);
  if (bare.length > 4 && bare.endsWith("ed")) return bare.slice(0, -2);
  if (bare.length > 4 && bare.endsWith("es")) return bare.slice(0, -2);
  if (bare.length > 3 && /[^s]s$/.test(bare)) return bare.slice(0, -1);
  if (bare.length > 4 && bare.endsWith("e")) return bare.slice(0, -1);
  return bare;
}

/** A word may have an ending after an apostrophe. */
const letters = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}]+)?/gu;

/** Returns words and numbers in order. Scripts without spaces are split by a dictionary. */
export const wordsOf = (text: string): string[] => orderedWords(foldText(text), letters).map(stem);

/** Returns the words that carry meaning, or all of them when none does. */
export function meaningOf(text: string): string[] {
  const words = wordsOf(text);
  const kept = words.filter((word) => !empty.has(word));
  return kept.length > 0 ? kept : words;
}

/** Splits text into pieces that state one thing: sentences, lines, and parts of a list. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/[\n;；]+/u)
    .flatMap(sentences)
    .filter((piece) => piece.trim() !== "");
}
