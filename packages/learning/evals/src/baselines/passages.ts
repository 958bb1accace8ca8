import { fittingSentences } from "@palimpsest/memory/text";

/** A part of a document that can be retrieved. */
export interface Passage {
  /** Index of the passage in the document, from 0. */
  readonly place: number;
  readonly text: string;
  /** Where the passage comes from, as an item's evidence names it: the title of a numbered document; else empty. */
  readonly sources: readonly string[];
}

export interface PassageRules {
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Splits a text into passages: "Document 3:" blocks when it has them, else paragraphs. Short neighbors are joined and
 * long ones are split between sentences, and a sentence that is longer than `maxTokens` within it.
 */
export function splitPassages(text: string, rules: PassageRules): Passage[] {
  const blocks = text
    .split(/^(?=Document \d+:[ \t]*$)/m)
    .map((block) => block.trim())
    .filter((block) => block !== "");
  const numbered = blocks.length > 0 && blocks.every((block) => /^Document \d+:/.test(block));
  const parts = numbered
    ? blocks.flatMap((block) => {
        const sources = [titleOf(block)].filter((title) => title !== "");
        return packed(sentencesOf(block, rules), rules).map((piece) => ({ text: piece, sources }));
      })
    : packed(
        text.split(/\n\s*\n/).flatMap((paragraph) => fitting(paragraph, rules)),
        rules,
      ).map((piece) => ({
        text: piece,
        sources: [],
      }));
  return parts.map((part, place) => ({ place, ...part }));
}

/** Returns the line after "Document 3:". */
function titleOf(block: string): string {
  return block.split("\n")[1]?.trim() ?? "";
}

function fitting(paragraph: string, rules: PassageRules): string[] {
  const whole = paragraph.trim();
  if (whole === "") return [];
  return rules.countTokens(whole) <= rules.maxTokens ? [`${whole}\n`] : sentencesOf(whole, rules);
}

const sentencesOf = (text: string, { maxTokens, countTokens }: PassageRules): string[] =>
  fittingSentences(text, (piece) => countTokens(piece) <= maxTokens);

/** Joins neighboring pieces as long as they fit into one passage. */
function packed(pieces: readonly string[], { maxTokens, countTokens }: PassageRules): string[] {
  const passages: string[] = [];
  let open = "";
  let openTokens = 0;
  for (const piece of pieces) {
    const tokens = countTokens(piece);
    if (open !== "" && openTokens + tokens > maxTokens) {
      passages.push(open.trim());
      open = "";
      openTokens = 0;
    }
    open += piece;
    openTokens += tokens;
  }
  if (open.trim() !== "") passages.push(open.trim());
  return passages;
}
