import { sentences } from "@palimpsest/memory/text";
import type { LocomoCategory } from "@palimpsest/trajectories/records";
import { locomoParts, type StemsOf, stemF1 } from "../locomo/answer-f1.js";

interface SpanLimits {
  /** Words of the longest segment, after articles are dropped. */
  readonly maxWords: number;
  /** Words of the longest sentence in which a segment counts in full. */
  readonly fullWords: number;
}

/**
 * Returns LoCoMo's F1 of the best segment of words in any sentence of the lines: what a perfect reader could quote from
 * them. For a multi-hop gold each part takes its own best segment. In a sentence that is longer than `fullWords` the
 * score is multiplied by that number over the words of the sentence, because a list of everything answers nothing.
 */
export function bestSpanF1(
  lines: readonly string[],
  category: Exclude<LocomoCategory, "adversarial">,
  gold: string,
  limits: SpanLimits,
): number {
  const parts = locomoParts(category, gold);
  const statements = lines.flatMap(statementsOf);
  const texts = new Map<StemsOf, string[][]>();
  for (const { stemsOf } of parts) if (!texts.has(stemsOf)) texts.set(stemsOf, statements.map(stemsOf));
  const sum = parts.reduce(
    (total, { stems, stemsOf }) => total + bestOf(texts.get(stemsOf) ?? [], stems, limits),
    0,
  );
  return sum / parts.length;
}

/** Shortest sentence, in words, that says something by itself. */
const leastWords = 5;
const wordCount = (text: string) => text.split(/\s+/).length;

/** Returns the sentences of a line, where one of a few words belongs to the sentence before it: it is a piece of a list. */
function statementsOf(line: string): string[] {
  const statements: string[] = [];
  for (const sentence of sentences(line)) {
    const last = statements.at(-1);
    if (last === undefined || (wordCount(sentence) >= leastWords && wordCount(last) >= leastWords))
      statements.push(sentence);
    else statements[statements.length - 1] = `${last} ${sentence}`;
  }
  return statements;
}

function bestOf(
  texts: readonly (readonly string[])[],
  wanted: readonly string[],
  { maxWords, fullWords }: SpanLimits,
): number {
  const stems = new Set(wanted);
  let best = 0;
  for (const text of texts) {
    const share = Math.min(1, fullWords / text.length);
    for (let start = 0; start < text.length; start++) {
      // The best segment begins and ends with a wanted word.
      if (!stems.has(text[start] as string)) continue;
      for (let end = start + 1; end <= Math.min(text.length, start + maxWords); end++) {
        if (!stems.has(text[end - 1] as string)) continue;
        best = Math.max(best, share * stemF1(text.slice(start, end), wanted));
      }
    }
  }
  return best;
}
