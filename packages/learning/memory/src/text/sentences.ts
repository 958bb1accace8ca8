/** Quotes and brackets that may follow the end of a sentence and belong to it. */
const closing = "[\"'”’»)\\]」』】》〉）]*";
/** Marks that end a sentence wherever they are; a full stop of European scripts does so only before white space. */
const everywhere = "[。！？｡।॥።፧។៕။༎؟۔։]";
/** Thai and Lao write a space where a sentence or a clause ends, and none between words. */
const thai = "[\\p{Script=Thai}\\p{Script=Lao}]";

const ends = new RegExp(
  [
    `(?<=[.!?]${closing}\\s)`,
    `(?<=${everywhere}${closing}\\s)`,
    `(?<=${everywhere}${closing})(?![\\s"'”’»)\\]」』】》〉）。！？｡।॥።፧។៕။༎؟۔։])`,
    `(?<=${thai}\\s)(?=${thai})`,
    // The Greek question mark is written as a semicolon.
    `(?<=\\p{Script=Greek}\\p{M}*[;\\u037e]${closing}\\s)`,
  ].join("|"),
  "u",
);

/** Splits a text into its sentences, each with the white space after it: joined again they are the text. */
export const sentences = (text: string): string[] => text.split(ends);

/**
 * Splits a text into sentences, and each that is too long where it is least bad: at lines, commas, spaces, and at last
 * between characters.
 */
export function fittingSentences(text: string, fits: (piece: string) => boolean): string[] {
  return sentences(text).flatMap((sentence) => (fits(sentence) ? [sentence] : halves(sentence, fits)));
}

const breaks = [/\n/g, /[,;:、，；：،]\s?/g, /\s/g];

function halves(text: string, fits: (piece: string) => boolean): string[] {
  if (fits(text) || text.length < 2) return [text];
  const at = middle(text);
  return [...halves(text.slice(0, at), fits), ...halves(text.slice(at), fits)];
}

/** Returns the position after the break that is nearest to the middle, of the best kind that is near it. */
function middle(text: string): number {
  const center = text.length / 2;
  for (const kind of breaks) {
    let best = 0;
    for (const { 0: found, index } of text.matchAll(kind)) {
      const at = index + found.length;
      if (at < text.length && Math.abs(at - center) < Math.abs(best - center)) best = at;
    }
    if (best > text.length / 8) return best;
  }
  const at = Math.floor(center);
  // A surrogate pair is one character.
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at + 1 : at;
}
