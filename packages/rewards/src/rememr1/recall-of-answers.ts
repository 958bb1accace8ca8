import { splitWords } from "@palimpsest/trajectories/text";
import { normalizeAnswer } from "../qa-metrics.js";

/**
 * Returns how much of an answer some texts contain, in [0, 1]: the fraction of each answer's words (normalized as in
 * SQuAD, repeats counted) that occur in any of the texts, for the best answer. Answers without words are left out.
 */
export function recallOfAnswers(texts: readonly string[], answers: readonly string[]): number {
  const held = new Set(texts.flatMap((text) => splitWords(normalizeAnswer(text))));
  let best = 0;
  for (const answer of answers) {
    const words = splitWords(normalizeAnswer(answer));
    if (words.length === 0) continue;
    best = Math.max(best, words.filter((word) => held.has(word)).length / words.length);
  }
  return best;
}

/**
 * The same as ReMemR1's code measures it: the fraction of each answer's words that occur anywhere within the text, even
 * inside other words and in another case; the mean over the answers, where one without words counts as 0. NaN without
 * answers, where that code fails.
 */
export function recallOfAnswersAsReleased(text: string, answers: readonly string[]): number {
  const shares = answers.map((answer) => {
    const words = splitWords(answer);
    return words.length === 0 ? 0 : words.filter((word) => text.includes(word)).length / words.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
