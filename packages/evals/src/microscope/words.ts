/** Text as words that can be compared: case, marks and endings left out. */

/** Words that say nothing of what a sentence is about. */
const empty = new Set(
  "a an the of to in on at by for from with and or but as is are was were be been being am do does did has have had it its this that these those he she they them his her their there then than so not no who whom which what when where i you we my your our me us him also into about over after before".split(
    " ",
  ),
);

/** What comes before and after a word that differs between two ways to say the same. */
function stem(word: string): string {
  const bare = word.replace(/['’]s$/, "");
  if (bare.length > 5 && bare.endsWith("ing")) return bare.slice(0, -3);
  if (bare.length > 4 && bare.endsWith("ed")) return bare.slice(0, -2);
  if (bare.length > 4 && bare.endsWith("es")) return bare.slice(0, -2);
  if (bare.length > 3 && /[^s]s$/.test(bare)) return bare.slice(0, -1);
  if (bare.length > 4 && bare.endsWith("e")) return bare.slice(0, -1);
  return bare;
}

/** Words and numbers in order. Scripts without spaces give one word for each character. */
export function wordsOf(text: string): string[] {
  const found =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu,
      ) ?? [];
  return found.map(stem);
}

/** The words that carry meaning; all of them where none does. */
export function meaningOf(text: string): string[] {
  const words = wordsOf(text);
  const kept = words.filter((word) => !empty.has(word));
  return kept.length > 0 ? kept : words;
}

/** Pieces that state one thing: sentences, lines, and parts of a list. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?。！？])\s+|[\n;；]+|(?<=[。！？])/u).filter((piece) => piece.trim() !== "");
}
