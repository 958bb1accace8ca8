/**
 * Responsibility: the evaluations of one run while it trains: which steps are due, what they came to, when they end the run.
 *   Each is a file of the run's folder, so that a driver that resumes the run goes on with the same best and the same patience.
 * Not responsible for: asking the questions (evaluation.ts); keeping the best checkpoint (the learner).
 *
 * Invariants:
 * - EVALUATING-1. An evaluation of a step is recorded before the next step is trained: no version is left out by a crash, and
 *   the rollout actors have no other weights while it runs.
 * - EVALUATING-2. A version is evaluated once, however often the run is resumed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "@palimpsest/evals";
import { type RatedStep, ratingOf, type Standing, standingOf } from "./evaluation-standing.js";
import type { Recipe } from "./recipe/recipe-schema.js";
import type { RunFolder } from "./run-folder/run-folder.js";

const folderName = "evaluations";
const file = /^step-(\d{8,})\.json$/;

/** What an evaluation of a run came to, for whoever watches the run. */
export interface EvaluationReport extends RatedStep {
  readonly metric: string;
  readonly best: RatedStep;
  readonly withoutGain: number;
  /** The run ends with this step. */
  readonly stops: boolean;
  readonly seconds: number;
}

/** What the learner is told of an evaluated version. */
export interface VersionRating {
  readonly policyVersion: number;
  readonly metric: number;
  /** For TensorBoard. */
  readonly scalars: Readonly<Record<string, number>>;
}

export interface TrainingEvaluationsOptions {
  readonly recipe: Recipe;
  readonly folder: Pick<RunFolder, "path" | "once">;
  readonly evaluate: (policyVersion: number, signal: AbortSignal) => Promise<Evaluation | undefined>;
  /** Has the learner keep the checkpoint of a version while it is the best. */
  readonly rate: (rating: VersionRating) => Promise<void>;
  readonly onEvaluated: (report: EvaluationReport) => void;
}

export class TrainingEvaluations {
  readonly #options: TrainingEvaluationsOptions;
  readonly #rated = new Map<number, number>();

  private constructor(options: TrainingEvaluationsOptions) {
    this.#options = options;
  }

  /** Reads what earlier drivers of the run evaluated, and tells the learner again: one may have died before it did. */
  static async open(
    options: TrainingEvaluationsOptions,
    before: Evaluation | undefined,
  ): Promise<TrainingEvaluations> {
    const evaluations = new TrainingEvaluations(options);
    if (evaluations.#everySteps === undefined) return evaluations;
    if (before) await evaluations.#note(0, before);
    for (const [step, evaluation] of keptEvaluations(options.folder.path))
      await evaluations.#note(step, evaluation);
    return evaluations;
  }

  get #everySteps(): number | undefined {
    return this.#options.recipe.evaluation?.everySteps;
  }

  /** By step. */
  get rated(): readonly RatedStep[] {
    return [...this.#rated].map(([step, value]) => ({ step, value })).sort((a, b) => a.step - b.step);
  }

  get standing(): Standing {
    return standingOf(this.rated, this.#options.recipe.train.stopWhen?.minimumGain ?? 0);
  }

  get stopped(): boolean {
    const { stopWhen } = this.#options.recipe.train;
    return stopWhen !== undefined && this.standing.withoutGain >= stopWhen.patienceEvaluations;
  }

  /** The version after this step is to be evaluated, and is not yet. Version 0 is evaluated before training. */
  isDue(step: number): boolean {
    const every = this.#everySteps;
    return every !== undefined && step > 0 && step % every === 0 && !this.#rated.has(step);
  }

  /** The evaluation of this step may be the one that ends the run: then nothing of the next step should begin before it. */
  mayStopAt(step: number): boolean {
    const { stopWhen } = this.#options.recipe.train;
    return (
      stopWhen !== undefined &&
      this.isDue(step) &&
      this.standing.withoutGain + 1 >= stopWhen.patienceEvaluations
    );
  }

  /** Evaluates the version after this step, or gives what is recorded of it. */
  async at(step: number, signal: AbortSignal): Promise<Evaluation | undefined> {
    const { folder, evaluate } = this.#options;
    const startedAt = performance.now();
    const name = join(folderName, `step-${String(step).padStart(8, "0")}.json`);
    const evaluation = await folder.once(name, true, () => evaluate(step, signal));
    if (!evaluation || this.#rated.has(step)) return evaluation;
    await this.#note(step, evaluation);
    const { best, withoutGain } = this.standing;
    const value = this.#rated.get(step) ?? 0;
    this.#options.onEvaluated({
      step,
      value,
      metric: this.#metric,
      best: best ?? { step, value },
      withoutGain,
      stops: this.stopped,
      seconds: (performance.now() - startedAt) / 1000,
    });
    return evaluation;
  }

  get #metric() {
    return this.#options.recipe.evaluation?.metric ?? "meanReward";
  }

  async #note(step: number, evaluation: Evaluation): Promise<void> {
    const value = ratingOf(evaluation, this.#metric);
    this.#rated.set(step, value);
    await this.#options.rate({ policyVersion: step, metric: value, scalars: scalarsOf(evaluation) });
  }
}

/** Under the names of TensorBoard. */
function scalarsOf({ lengths }: Evaluation): Record<string, number> {
  const scalars: Record<string, number> = {};
  for (const { lengthTokens, meanReward, exactMatch, passAtK, samples, categories } of lengths) {
    const name = (metric: string) => `evaluation/${metric}/${lengthTokens}`;
    scalars[name("meanReward")] = meanReward;
    if (exactMatch !== null) scalars[name("exactMatch")] = exactMatch;
    if (passAtK !== null && samples > 1) scalars[name("passAtK")] = passAtK;
    for (const one of categories) scalars[name(`reward/${one.category}`)] = one.meanReward;
  }
  return scalars;
}

/** What the run has recorded, by step. */
function keptEvaluations(runDir: string): [number, Evaluation][] {
  const folder = join(runDir, folderName);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): [number, Evaluation][] => {
      const match = file.exec(name);
      // Written whole or not at all, by this file alone.
      return match
        ? [[Number(match[1]), JSON.parse(readFileSync(join(folder, name), "utf8")) as Evaluation]]
        : [];
    });
}
