import { stripWhiteSpace } from "@palimpsest/trajectories/text";

/**
 * Counts each `\boxed{…}` with balanced braces and some content, anywhere in the text. A box within a box is not
 * counted.
 */
export function countFullBoxes(text: string): number {
  const mark = "\\boxed{";
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at)) {
    const end = closingBrace(text, at + mark.length);
    if (end === null) {
      at += mark.length;
      continue;
    }
    if (stripWhiteSpace(text.slice(at + mark.length, end)) !== "") count += 1;
    at = end + 1;
  }
  return count;
}

function closingBrace(text: string, from: number): number | null {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}
