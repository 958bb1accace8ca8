import type { Score } from "@palimpsest/trajectories";
import { boxedAnswer, isSameBoxed, lastCharacters } from "./boxed.js";
import { RewardError, requireAnswers } from "./error.js";
import { bestQaMetrics, containedFraction } from "./qa-metrics.js";
import { rulerScores } from "./ruler.js";

/**
 * Scores a final answer against the right ones. It is pure. Components, each in [0, 1]: `exactMatch` (boxed exact
 * match), `boxed` (1 when a box was found), and `f1`, `subExactMatch` and `containedFraction` of the box's content;
 * rewards whose names begin with `answer-` have the same of the whole reply, which needs no box; those that begin with
 * `ruler-` have `all` and `part` of the whole reply.
 * @throws {RewardError} NO_GROUND_TRUTH
 */
export type Reward = (answer: string, answers: readonly string[]) => Score;

export interface BoxedOptions {
  /** How many of the answer's last characters are read; null: all. Default 300, as in the reference. */
  readonly lastCharacters?: number | null;
}

/**
 * MemAgent's training reward: 1 when the last box, in lower case and normalized, equals one of the right answers in the
 * same form, else 0. Decided where the reference is disputable: `\fbox` is not a box (0), an empty box equals an empty
 * right answer (task files refuse those), an empty list of right answers is an error.
 */
export function boxedExactMatch(
  answer: string,
  answers: readonly string[],
  options: BoxedOptions = {},
): Score {
  const components = boxedComponents(answer, answers, options);
  return { reward: components.exactMatch, components };
}

function boxedComponents(answer: string, answers: readonly string[], options: BoxedOptions) {
  requireAnswers(answers);
  const { lastCharacters: count = 300 } = options;
  const text = (count === null ? answer : lastCharacters(answer, count)).toLowerCase();
  const box = boxedAnswer(text);
  const same = (gold: string) => box !== null && isSameBoxed(box, gold.toLowerCase());
  const { f1, subExactMatch } = bestQaMetrics(box, answers);
  return {
    exactMatch: answers.some(same) ? 1 : 0,
    boxed: box === null ? 0 : 1,
    f1,
    subExactMatch,
    containedFraction: containedFraction(box, answers),
  };
}

/** Scores models that were never shown a box: the whole reply is the answer. */
function answerComponents(answer: string, answers: readonly string[]) {
  requireAnswers(answers);
  const { exactMatch, f1, subExactMatch } = bestQaMetrics(answer, answers);
  return { exactMatch, f1, subExactMatch, containedFraction: containedFraction(answer, answers) };
}

/** Makes a reward of one of the components that it reports. */
const scoring =
  <Component extends string>(
    of: (
      answer: string,
      answers: readonly string[],
      options: BoxedOptions,
    ) => Readonly<Record<Component, number>>,
    component: NoInfer<Component>,
  ) =>
  (answer: string, answers: readonly string[], options: BoxedOptions): Score => {
    const components = of(answer, answers, options);
    return { reward: components[component], components };
  };

const rewards = {
  /** Boxed exact match. */
  "boxed-exact-match": scoring(boxedComponents, "exactMatch"),
  /** Token F1 of the box's content, for the best of the right answers. */
  "boxed-f1": scoring(boxedComponents, "f1"),
  /** Fraction of the right answers that the box contains, for tasks that ask for several values. */
  "boxed-contained-fraction": scoring(boxedComponents, "containedFraction"),
  /** Token F1 of the whole reply. */
  "answer-f1": scoring(answerComponents, "f1"),
  /** Fraction of the right answers that the whole reply contains, by RULER's rule; it has components of its own. */
  "ruler-all": scoring(rulerScores, "all"),
  /** 1 when the whole reply contains any right answer, by RULER's rule for questions. */
  "ruler-part": scoring(rulerScores, "part"),
} as const;

export type RewardName = keyof typeof rewards;
export const rewardNames = Object.keys(rewards) as readonly RewardName[];

/** @throws {RewardError} UNKNOWN_REWARD */
export function rewardByName(name: string, options: BoxedOptions = {}): Reward {
  const found = Object.hasOwn(rewards, name) ? rewards[name as RewardName] : undefined;
  if (found === undefined) {
    throw new RewardError(
      "UNKNOWN_REWARD",
      `reward: "${name}" is unknown; use one of ${rewardNames.join(", ")}`,
    );
  }
  return (answer, answers) => found(answer, answers, options);
}
