import { sessionId } from "@palimpsest/datasets";
import { fittingSentences } from "@palimpsest/memory/text";

/** A part of a document that can be retrieved. */
export interface Passage {
  /** Index of the passage in the document, from 0. */
  readonly place: number;
  readonly text: string;
  /**
   * Where the passage comes from, as an item's evidence names it: the title of a numbered document, or a session such as
   * "session_3"; else empty.
   */
  readonly sources: readonly string[];
}

export interface PassageRules {
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Splits a text into passages: "Document 3:" blocks when it has them, or "Session 3, 2023-05-20" blocks, each piece of
 * which begins with that line, else paragraphs. Short neighbors are joined and
 * long ones are split between sentences, and a sentence that is longer than `maxTokens` within it.
 */
export function splitPassages(text: string, rules: PassageRules): Passage[] {
  const sessions = sessionsOf(text);
  if (sessions.length > 0)
    return sessions
      .flatMap(({ heading, body }, at) => {
        const maxTokens = Math.max(1, rules.maxTokens - rules.countTokens(`${heading}\n`));
        const pieces = packed(sentencesOf(body, { ...rules, maxTokens }), { ...rules, maxTokens });
        return (pieces.length === 0 ? [""] : pieces).map((piece) => ({
          text: `${heading}\n${piece}`.trim(),
          sources: [sessionId(at + 1)],
        }));
      })
      .map((part, place) => ({ place, ...part }));
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

/**
 * Returns the sessions of a text that begins with "Session 1". A line counts as a heading only if its number is the
 * next one, because turns may contain such lines too.
 */
function sessionsOf(text: string): { readonly heading: string; readonly body: string }[] {
  const sessions: { heading: string; start: number; bodyStart: number }[] = [];
  for (const match of text.matchAll(/^Session (\d+)(?:, [^\n]*)?$/gm)) {
    if (Number(match[1]) !== sessions.length + 1 || (sessions.length === 0 && match.index > 0)) continue;
    const [heading] = match;
    sessions.push({ heading, start: match.index, bodyStart: match.index + heading.length });
  }
  return sessions.map(({ heading, bodyStart }, at) => ({
    heading,
    body: text.slice(bodyStart, sessions[at + 1]?.start).trim(),
  }));
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
