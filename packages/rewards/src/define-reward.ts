import type { Score, Task } from "@palimpsest/trajectories";
import type { z } from "zod";
import { RewardError } from "./error.js";
import { type RewardKind, rewardKind, type ScoredEpisode } from "./reward-kind.js";

/** What a module exports as `default` so that a recipe can say `reward: { module: ./my-reward.ts }`. */
export interface RewardModule extends RewardKind {
  readonly provides: "reward";
}

/** What the function of `defineReward` receives besides task and episode. */
export interface RewardCall<Settings> {
  readonly settings: Settings;
  /** Aborts when the score is no longer wanted. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Defines a reward of your own.
 * @param definition.settings schema of the settings that a recipe may give, such as `z.strictObject({})` for none
 * @param definition.score returns a finite number, or a number with its components by name. When it throws, the episode
 *   fails and leaves its group; it never counts as zero.
 */
export function defineReward<Config extends object>(definition: {
  readonly settings: z.ZodType<Config>;
  score(
    task: Task,
    episode: ScoredEpisode,
    call: RewardCall<Config>,
  ): number | Score | Promise<number | Score>;
}): RewardModule {
  const kind = rewardKind({
    names: ["module"],
    schema: definition.settings,
    create: (settings) => async (task, episode, options) => {
      const scored = await definition.score(task, episode, { settings, signal: options?.signal });
      const score = typeof scored === "number" ? { reward: scored, components: {} } : scored;
      if (!Number.isFinite(score?.reward))
        throw new RewardError(
          "BAD_REPLY",
          `reward.module: score returned ${typeof scored === "object" ? `a reward of ${String(score?.reward)}` : shown(scored)} for task ${task.id}; return a finite number, or throw if there is none`,
        );
      return score;
    },
  });
  return { provides: "reward", ...kind };
}

/** Shows a text in quotes, because `"1"` is not a number. */
const shown = (scored: unknown) => (typeof scored === "string" ? JSON.stringify(scored) : String(scored));
