/** Builders for tests of suites. */

import type { EvalItem } from "./item.js";
import { qaScorer } from "./qa-scorer.js";
import type { SuiteRun } from "./runner.js";
import type { Prediction, System } from "./system.js";

export function anItem(number: number, overrides: Partial<EvalItem> = {}): EvalItem {
  return {
    id: `q${number}`,
    group: "all",
    question: `What is ${number}?`,
    answers: [`answer ${number}`],
    document: `Number ${number} is answer ${number}.`,
    metadata: {},
    ...overrides,
  };
}

export const aPrediction = (text: string, overrides: Partial<Prediction> = {}): Prediction => ({
  text,
  counts: { conversations: 1, promptTokens: 10, sampledTokens: 3, truncated: 0 },
  ...overrides,
});

/** Builds a system that answers at once as `answer` says. */
export function aSystem(
  answer: (item: EvalItem, seed: number) => string | Promise<string>,
  overrides: Partial<System> = {},
): System {
  return {
    name: "scripted",
    settings: {},
    answer: async (item, { seed }) => aPrediction(await answer(item, seed)),
    ...overrides,
  };
}

/** Builds a run whose items were right or wrong as given, by system. */
export function aRun(
  rights: Readonly<Record<string, readonly boolean[]>>,
  overrides: Partial<SuiteRun> = {},
): SuiteRun {
  const [first = []] = Object.values(rights);
  const { items = first.map((_, i) => anItem(i)) } = overrides;
  const score = (right: boolean) => Number(right);
  return {
    suite: "test",
    seed: 0,
    scorer: qaScorer({}),
    items,
    systems: Object.entries(rights).map(([system, own]) => ({
      system,
      outcomes: own.map((right, i) => ({
        itemId: items[i]?.id ?? "",
        group: items[i]?.group ?? "all",
        scores: { exactMatch: score(right), f1: score(right), subExactMatch: score(right) },
        prediction: aPrediction(right ? "right" : "wrong"),
        seconds: 2,
        busySeconds: 1,
        attempts: 1,
        resumed: false,
      })),
    })),
    ...overrides,
  };
}
