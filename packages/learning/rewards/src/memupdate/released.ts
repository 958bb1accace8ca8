import { splitWords, stripWhiteSpace } from "../white-space.js";
import { type MemoryEfficiency, memoryEfficiency, storeSize } from "./efficiency.js";

/** How well the store supports an answer, as MemUpdate's code measures it. */
export interface KeywordSupport {
  /** Indices of the records retrieved for the question, best first, at most five. */
  readonly retrieved: readonly number[];
  /** Fraction of the answer's words that the retrieved text contains; null when the answer has none. */
  readonly support: number | null;
  /** `support` limited to the range from 0.1 to 1; 0.5 when there is none. */
  readonly score: number;
}

const wordSet = (text: string): Set<string> => new Set(splitWords(text.toLowerCase()));
const sharedWords = (a: Set<string>, b: Set<string>): number => [...a].filter((word) => b.has(word)).length;

/** Returns the five records that share the most words with the question; ties are in the order of the store. */
function keywordTopFive(contents: readonly string[], question: string): number[] {
  const asked = wordSet(question);
  const scored = contents.map((content, index) => {
    const words = wordSet(content);
    return { index, score: sharedWords(asked, words) / Math.max(asked.size, words.size, 1) };
  });
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found.slice(0, 5).map(({ index }) => index);
}

/**
 * Computes the set overlap of the answer's words with those of the five records that keyword search retrieves. It is
 * kept as released, with its loopholes: edge punctuation and stop words count, length costs nothing, "Memory:" precedes
 * each record, and the sentence that replaces an empty result is itself compared with the answer. Source:
 * Astera-org/memupdate@cc2ed994, evaluate_single_qa.
 * @param answer null is read as the word "none", as Python's str(None) is
 */
export function keywordSupport(
  contents: readonly string[],
  question: string,
  answer: string | number | null,
): KeywordSupport {
  const retrieved = keywordTopFive(contents, question);
  const context =
    retrieved.length === 0
      ? "No relevant information found."
      : retrieved.map((index) => `Memory: ${contents[index]}`).join("\n");
  const wanted = wordSet(answer === null ? "None" : String(answer));
  if (wanted.size === 0) return { retrieved, support: null, score: 0.5 };
  const support = sharedWords(wanted, wordSet(context)) / wanted.size;
  return { retrieved, support, score: Math.max(0.1, Math.min(1, support)) };
}

/**
 * Scores a generated answer as MemUpdate's first version does: 1 when it equals the right one except for case and outer
 * white space, else F1 over the two sets of words, or with a judge 0.6 F1 + 0.4 times the number that the judge
 * replied. Source: Astera-org/memupdate@9323736c, _evaluate_answer.
 * @param judgeReply the judge's reply, a number from 0 to 1 as text; any other text counts as 0.5; null: no judge
 */
export function releasedAnswerScore(generated: string, answer: string, judgeReply: string | null): number {
  if (stripWhiteSpace(generated).toLowerCase() === stripWhiteSpace(answer).toLowerCase()) return 1;
  const said = wordSet(generated);
  const wanted = wordSet(answer);
  if (said.size === 0 || wanted.size === 0) return said.size === wanted.size ? 1 : 0;
  const shared = sharedWords(said, wanted);
  const precision = shared / said.size;
  const recall = shared / wanted.size;
  const f1 = shared === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  if (judgeReply === null) return f1;
  return Math.max(0, Math.min(1, 0.6 * f1 + 0.4 * judgedNumber(judgeReply)));
}

/** Parses a number as Python's float() does and limits it to [0, 1]; NaN becomes 1, as Python's min() makes it. */
function judgedNumber(reply: string): number {
  const text = stripWhiteSpace(reply).toLowerCase();
  if (/^[+-]?nan$/.test(text)) return 1;
  if (/^[+-]?inf(inity)?$/.test(text)) return text.startsWith("-") ? 0 : 1;
  const digits = "[0-9](?:_?[0-9])*";
  const number = new RegExp(`^[+-]?(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:e[+-]?${digits})?$`);
  if (!number.test(text)) return 0.5;
  return Math.max(0, Math.min(1, Number(text.replaceAll("_", ""))));
}

/**
 * Computes MemUpdate's reward as its code does in the version that distinguishes the old and the new store (cc2ed994):
 * change of the keyword score times efficiency. Its last version queries the final store twice, so that the change is
 * always 0.
 */
export function releasedReward(
  before: readonly string[],
  after: readonly string[],
  probe: { readonly question: string; readonly answer: string | number | null },
  maxTotalMemories = 100,
): {
  readonly reward: number;
  readonly scoreOld: number;
  readonly scoreNew: number;
  readonly efficiency: MemoryEfficiency;
} {
  const scoreOld = keywordSupport(before, probe.question, probe.answer).score;
  const scoreNew = keywordSupport(after, probe.question, probe.answer).score;
  const efficiency = memoryEfficiency(storeSize(before), storeSize(after), maxTotalMemories);
  return { reward: (scoreNew - scoreOld) * efficiency.efficiency, scoreOld, scoreNew, efficiency };
}
