import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { guessingRuler } from "./guessing-base.js";

export interface RecipeChanges {
  readonly name?: string;
  readonly steps?: number;
  readonly groupsPerStep?: number;
  readonly rolloutActors?: number;
  /** The number of questions of the evaluations before and after training. Default: none. */
  readonly evaluationTasks?: number;
  readonly sentences?: { readonly min: number; readonly max: number };
  /** Settings of the learner in addition to the small defaults. */
  readonly learner?: Readonly<Record<string, unknown>>;
  /** Further fields at the top level. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export const groupSize = 4;

/** With these settings the work of a dead consumer is taken over within seconds. */
export const quickTakeOver = {
  lockDurationMs: 3_000,
  stalledIntervalMs: 1_000,
  retryDelayMs: 100,
  backoffMs: 100,
} as const;

/** Writes a recipe for a run of seconds, over the base in `./base`. It is written as JSON, which is valid YAML. */
export function writeRecipe(folder: string, changes: RecipeChanges = {}): string {
  const { name = "small", steps = 2, groupsPerStep = 4, rolloutActors = 2, evaluationTasks } = changes;
  const { sentences = { min: 8, max: 16 } } = changes;
  const recipe = {
    name,
    seed: 5,
    model: { path: "./base" },
    agent: { preset: "tiny" },
    data: { source: "ruler", ruler: { ...guessingRuler, count: 200, seed: 3, sentences } },
    // Replies are a few tokens: functions of more steps would be traced by each actor and hardly run.
    rollout: { actors: rolloutActors, concurrency: 16, maxBatch: 16, maxTokens: 64, stepsPerCall: 2 },
    reward: { actors: 1 },
    learner: {
      preset: "memagent",
      groupSize,
      buckets: [{ rows: 64, length: 64 }],
      // The learning rate is large enough that one step changes every hash.
      schedule: { learningRate: 1e-3 },
      ...changes.learner,
    },
    train: { steps, groupsPerStep },
    ...(evaluationTasks === undefined
      ? {}
      : {
          evaluation: {
            tasks: evaluationTasks,
            lengths: [1, 2],
            source: { ...guessingRuler, sentences: 16 },
          },
        }),
    ...changes.more,
  };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, `${JSON.stringify(recipe, null, 2)}\n`);
  return file;
}
