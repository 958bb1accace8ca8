import type { LocomoCategory } from "@palimpsest/trajectories";
import { locomoParts, type StemsOf, stemF1 } from "../locomo/answer-f1.js";

/**
 * Returns LoCoMo's F1 of the best segment of words in any of the lines: what a perfect reader could quote from them.
 * For a multi-hop gold each part takes its own best segment.
 * @param maxWords words of the longest segment, after articles are dropped
 */
export function bestSpanF1(
  lines: readonly string[],
  category: Exclude<LocomoCategory, "adversarial">,
  gold: string,
  maxWords: number,
): number {
  const parts = locomoParts(category, gold);
  const texts = new Map<StemsOf, string[][]>();
  for (const { stemsOf } of parts) if (!texts.has(stemsOf)) texts.set(stemsOf, lines.map(stemsOf));
  const sum = parts.reduce(
    (total, { stems, stemsOf }) => total + bestOf(texts.get(stemsOf) ?? [], stems, maxWords),
    0,
  );
  return sum / parts.length;
}

function bestOf(texts: readonly (readonly string[])[], wanted: readonly string[], maxWords: number): number {
  const stems = new Set(wanted);
  let best = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length; start++) {
      // The best segment begins and ends with a wanted word.
      if (!stems.has(text[start] as string)) continue;
      for (let end = start + 1; end <= Math.min(text.length, start + maxWords); end++) {
        if (!stems.has(text[end - 1] as string)) continue;
        best = Math.max(best, stemF1(text.slice(start, end), wanted));
      }
    }
  }
  return best;
}
