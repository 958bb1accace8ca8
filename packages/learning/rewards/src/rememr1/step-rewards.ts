import { type ReplyTags, readTaggedReply, splitWords, stripWhiteSpace } from "@palimpsest/trajectories/text";
import { requireAnswers } from "../error.js";
import { normalizeAnswer } from "../qa-metrics.js";

/** One conversation of ReMemR1 as a reward sees it. Absent texts are "". */
export interface StepCase {
  readonly action: "memory" | "final";
  readonly problem: string;
  /** The text that was recalled for this step. */
  readonly recalledMemory: string;
  /** The memory at the beginning of the step. */
  readonly memory: string;
  /** The text that the step read; "" in the final step. */
  readonly section: string;
  /** The text that the model wrote. */
  readonly reply: string;
  /** The text that the step's query found. */
  readonly found: string;
  readonly answers: readonly string[];
  /** The memory at the end of the step. Absent: the content of the reply's update, or "" without one. */
  readonly newMemory?: string;
}

export interface StepReward {
  /** How much of the answer the step added to the memory; below 0 when it lost some. */
  readonly memoryGain: number;
  /** How much of the answer the recalled text adds to what the prompt contained already. */
  readonly recallGain: number;
  /** 1 when the reply has the required form. */
  readonly format: number;
  /** The sum of the three. */
  readonly reward: number;
}

/**
 * What a memory pays that loses words of the answer. free: they can be recalled again and again, and each recall is paid, as in the
 * paper; charged: what a step has in its memory and in what it recalled is worth as much as what it leaves to the next
 * one, so that all steps together are paid for an answer once.
 */
type Forgetting = "free" | "charged";

/** The texts that stand in empty fields. */
const placeholders = ["No previous memory", "No memory was recalled."];

/**
 * Computes the rewards of one step as the paper describes them: words are compared whole and normalized, over all
 * lines, with the best of the answers.
 * - memory gain = r(new memory) − r(memory before), where r is the recall of the answer's words.
 * - recall gain = max(0, r(problem, recalled memory, memory, section, found) − r(the same without found)). It belongs
 *   to the step that asked; the prompt's instructions do not count.
 *   With `forgetting: charged` the first subtracts what was recalled, too, and the second is what the found text adds to
 *   the new memory alone.
 * - format = 1 with exactly one update that is not blank; for the final step with exactly one complete `\boxed{…}`. The
 *   final step earns nothing else.
 * Source: ReMemR1, arXiv:2509.23040.
 */
export function rememr1StepReward(
  step: StepCase,
  { tags, forgetting = "free" }: { readonly tags?: ReplyTags; readonly forgetting?: Forgetting } = {},
): StepReward {
  const { action, answers, reply } = step;
  if (action === "final") return summed(0, 0, countFullBoxes(reply) === 1 ? 1 : 0);
  const { update, updates } = readTaggedReply(reply, tags);
  const gold = (...texts: string[]) => recallOfAnswers(texts.map(content), answers);
  const newMemory = step.newMemory ?? update?.text ?? "";
  const format = updates === 1 ? 1 : 0;
  if (forgetting === "charged") {
    const kept = gold(newMemory);
    return summed(kept - gold(step.memory, step.recalledMemory), gold(newMemory, step.found) - kept, format);
  }
  const prompt = [step.problem, step.recalledMemory, step.memory, step.section];
  const memoryGain = gold(newMemory) - gold(step.memory);
  const recallGain = Math.max(0, gold(...prompt, step.found) - gold(...prompt));
  return summed(memoryGain, recallGain, format);
}

/**
 * Computes the rewards of one step as the original's code does: the memory before is never found, because its prompt
 * puts it on a line of its own, so that keeping the answer is rewarded at every step; words match inside other words;
 * several answers are averaged; an update over several lines does not count.
 * @param prompt the whole prompt, including instructions
 * @throws {RewardError} NO_GROUND_TRUTH, where that code divides by zero
 * Source: syr-cn/ReMemR1@43e69f3, verl/trainer/ppo/metric_utils.py.
 */
export function rememr1StepRewardAsReleased(
  step: Pick<StepCase, "action" | "reply" | "found" | "answers"> & { readonly prompt: string },
): StepReward {
  const { action, reply, prompt, found, answers } = step;
  if (action === "final")
    return summed(0, 0, [...reply.matchAll(/\\boxed\{(.+)\}/gu)].filter(isFull).length === 1 ? 1 : 0);
  requireAnswers(answers);
  const gold = (text: string) => recallOfAnswersAsReleased(text, answers);
  const updates = [...reply.matchAll(/<update>(.*?)<\/update>/gu)];
  const before = /<memory>(.*?)<\/memory>/u.exec(prompt)?.[1] ?? "";
  const memoryGain = gold(updates[0]?.[1] ?? "") - gold(before);
  const recallGain = Math.max(0, gold(`${found} ${prompt}`) - gold(prompt));
  return summed(memoryGain, recallGain, updates.filter(isFull).length === 1 ? 1 : 0);
}

const content = (field: string) => (placeholders.includes(stripWhiteSpace(field)) ? "" : field);
const isFull = (match: RegExpMatchArray) => stripWhiteSpace(match[1] as string) !== "";

const summed = (memoryGain: number, recallGain: number, format: number): StepReward => ({
  memoryGain,
  recallGain,
  format,
  reward: memoryGain + recallGain + format,
});

/**
 * Counts each `\boxed{…}` with balanced braces and some content, anywhere in the text. A box within a box is not
 * counted.
 */
function countFullBoxes(text: string): number {
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

/**
 * Returns how much of an answer some texts contain, in [0, 1]: the fraction of each answer's words (normalized as in
 * SQuAD, repeats counted) that occur in any of the texts, for the best answer. Answers without words are left out.
 */
function recallOfAnswers(texts: readonly string[], answers: readonly string[]): number {
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
function recallOfAnswersAsReleased(text: string, answers: readonly string[]): number {
  const shares = answers.map((answer) => {
    const words = splitWords(answer);
    return words.length === 0 ? 0 : words.filter((word) => text.includes(word)).length / words.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
