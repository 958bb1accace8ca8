import { answersSchema } from "@palimpsest/datasets";
import { bleuOne, locomoF1, type QaMetrics, qaMetrics, rewardByName, rewardNames } from "@palimpsest/rewards";
import { parseInput } from "@palimpsest/std/input";
import { locomoCategories } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { unknownValue } from "../input/unknown-value.js";

const ownCaseSchema = z.strictObject({
  id: z.union([z.string(), z.number().transform(String)]).optional(),
  prediction: z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]).nullable(),
  answers: z.union([answersSchema, z.array(z.string())]),
  category: z.union([z.int().min(1).max(5), z.enum(locomoCategories)]).optional(),
});

/** A user's prediction with its gold answers. */
type OwnCase = z.output<typeof ownCaseSchema>;

type Metric = (row: OwnCase) => Readonly<Record<string, number>>;

function best(answers: readonly string[], score: (answer: string) => number): number {
  if (answers.length === 0) throw new Error("answers: is empty; give at least one right answer");
  return Math.max(...answers.map(score));
}

const locomo: Metric = ({ prediction, answers, category = "single-hop" }) => ({
  f1:
    category === "adversarial" || category === 5
      ? locomoF1(category, prediction, null)
      : best(answers, (answer) => locomoF1(category, prediction, answer)),
});
const quality: Metric = ({ prediction, answers }) => {
  const of = (name: keyof QaMetrics) => best(answers, (answer) => qaMetrics(prediction, answer)[name]);
  return { exactMatch: of("exactMatch"), f1: of("f1"), subExactMatch: of("subExactMatch") };
};
const rewardMetric =
  (name: string): Metric =>
  ({ prediction, answers }) => {
    const { reward, components } = rewardByName(name)(prediction ?? "", answers);
    return { reward, ...components };
  };

const ownMetrics: ReadonlyMap<string, Metric> = new Map([
  ...rewardNames.map((name) => [name, rewardMetric(name)] as const),
  ["memagent_reward", rewardMetric("boxed-exact-match")],
  ["qa_metrics", quality],
  ["locomo_f1", locomo],
  [
    "bleu_1",
    ({ prediction, answers }) => ({ bleuOne: best(answers, (answer) => bleuOne(prediction ?? "", answer)) }),
  ],
]);

/** Metrics that can score a file of `{ prediction, answers }`. */
export const ownMetricNames: readonly string[] = [...ownMetrics.keys()];

export interface OwnScores {
  readonly cases: readonly { readonly id: string; readonly scores: Readonly<Record<string, number>> }[];
  /** The mean over all cases, by name. */
  readonly means: Readonly<Record<string, number>>;
}

/**
 * Scores a user's own predictions. A missing prediction counts as a wrong answer.
 * @throws {Error} naming the case and the field
 */
export function scoreOwn(metric: string, rows: readonly unknown[]): OwnScores {
  const score = ownMetrics.get(metric);
  if (score === undefined) {
    throw unknownValue("--metric of a file of predictions", metric, ownMetricNames);
  }
  const cases = rows.map((row, place) => {
    const given = parseInput(
      ownCaseSchema,
      row,
      (problem) =>
        new PalimpsestError(
          "INVALID_ARGUMENT",
          `case ${place + 1}: ${problem}; give {"prediction", "answers"}`,
        ),
    );
    try {
      return { id: given.id ?? String(place + 1), scores: score(given) };
    } catch (reason) {
      throw new Error(`case ${place + 1}: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
  });
  const means: Record<string, number> = {};
  for (const { scores } of cases) {
    for (const [name, value] of Object.entries(scores)) {
      means[name] = (means[name] ?? 0) + value / cases.length;
    }
  }
  return { cases, means };
}
