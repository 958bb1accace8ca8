/**
 * Responsibility: the evaluations of one run during training: which steps are due, their results, when they end the run.
 *   Each is a file of the run's folder, so that a driver that resumes the run continues with the same best value and the same patience.
 * Not responsible for: asking the questions (evaluation.ts); keeping the best checkpoint (the learner).
 *
 * Invariants:
 * - EVALUATING-1. An evaluation of a step is recorded before the next step is trained: a crash cannot skip a version, and
 *   the rollout actors have no other weights while it runs.
 * - EVALUATING-2. A version is evaluated once, however often the run is resumed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "@palimpsest/evals";
import { type RatedStep, ratingOf, type Standing, standingOf } from "../recipe/evaluation-standing.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { RunFolder } from "../run-folder/run-folder.js";

const folderName = "evaluations";
const file = /^step-(\d{8,})\.json$/;

/** The result of an evaluation during a run, for listeners of the run. */
export interface EvaluationReport extends RatedStep {
  readonly metric: string;
  readonly best: RatedStep;
  readonly withoutGain: number;
  /** Whether the run ends with this step. */
  readonly stops: boolean;
  readonly seconds: number;
}

/** The message to the learner about an evaluated version. */
export interface VersionRating {
  readonly policyVersion: number;
  readonly metric: number;
  /** Scalars for TensorBoard. */
  readonly scalars: Readonly<Record<string, number>>;
}

export interface TrainingEvaluationsOptions {
  readonly recipe: Recipe;
  readonly folder: Pick<RunFolder, "path" | "once">;
  readonly evaluate: (policyVersion: number, signal: AbortSignal) => Promise<Evaluation | undefined>;
  /** Makes the learner keep the checkpoint of a version as long as it is the best. */
  readonly rate: (rating: VersionRating) => Promise<void>;
  readonly onEvaluated: (report: EvaluationReport) => void;
}

export class TrainingEvaluations {
  readonly #options: TrainingEvaluationsOptions;
  readonly #rated = new Map<number, number>();

  private constructor(options: TrainingEvaluationsOptions) {
    this.#options = options;
  }

  /** Reads the evaluations of earlier drivers of the run, and reports them to the learner again: a driver may have died before reporting. */
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

  /** Evaluations by step. */
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

  /** Whether the version after this step must still be evaluated. Version 0 is evaluated before training. */
  isDue(step: number): boolean {
    const every = this.#everySteps;
    return every !== undefined && step > 0 && step % every === 0 && !this.#rated.has(step);
  }

  /** Whether the evaluation of this step may end the run: then the next step must not start before it. */
  mayStopAt(step: number): boolean {
    const { stopWhen } = this.#options.recipe.train;
    return (
      stopWhen !== undefined &&
      this.isDue(step) &&
      this.standing.withoutGain + 1 >= stopWhen.patienceEvaluations
    );
  }

  /** Evaluates the version after this step, or returns its recorded evaluation. */
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

/** Scalars by their TensorBoard names. */
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

/** Reads the run's recorded evaluations by step. */
function keptEvaluations(runDir: string): [number, Evaluation][] {
  const folder = join(runDir, folderName);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): [number, Evaluation][] => {
      const match = file.exec(name);
      // Files are written atomically, and only by this module.
      return match
        ? [[Number(match[1]), JSON.parse(readFileSync(join(folder, name), "utf8")) as Evaluation]]
        : [];
    });
}
