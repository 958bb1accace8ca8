import { splitWords } from "@palimpsest/trajectories/text";
import { normalizeAnswer } from "../qa-metrics.js";

/**
 * How much of an answer some texts hold, in [0, 1]: of each answer's words (normalized as in SQuAD, repeats counted) the
 * share that occurs in any of the texts, best over the answers; answers without a word are left out.
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
 * As the code of ReMemR1 measures it: of each answer's words the share that occurs anywhere within the text, case and
 * parts of other words regardless; mean over the answers, one without a word counting as 0.
 * NaN without answers, where that code stops with an error.
 */
export function recallOfAnswersAsReleased(text: string, answers: readonly string[]): number {
  const shares = answers.map((answer) => {
    const words = splitWords(answer);
    return words.length === 0 ? 0 : words.filter((word) => text.includes(word)).length / words.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
