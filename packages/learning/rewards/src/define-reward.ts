import { checkParts } from "@palimpsest/std/input";
import type { Score, Task } from "@palimpsest/trajectories";
import type { z } from "zod";
import { checkedScore } from "./checked-score.js";
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
 * @param definition.score returns a finite number, or a reward with its components by name and with one value per
 *   conversation, all of them finite numbers. When it throws, or returns something else, the episode fails and leaves its group; it
 *   never counts as zero.
 */
export function defineReward<Config extends object>(definition: {
  readonly settings: z.ZodType<Config>;
  score(
    task: Task,
    episode: ScoredEpisode,
    call: RewardCall<Config>,
  ): number | Score | Promise<number | Score>;
}): RewardModule {
  const parts = { settings: "a schema, such as z.strictObject({})", score: "a function" } as const;
  checkParts(definition, "defineReward()", parts, (problem) => new RewardError("BAD_CONFIG", problem));
  const definedAt = (new Error().stack ?? "").split("\n").slice(2).join("\n");
  const kind = rewardKind({
    names: ["module"],
    schema: definition.settings,
    create: (settings) => async (task, episode, options) => {
      const scored = await definition.score(task, episode, { settings, signal: options?.signal });
      const checked = checkedScore(scored, episode.conversations.length);
      if (!("problem" in checked)) return checked;
      const error = new RewardError(
        "BAD_REPLY",
        `reward.module: score returned ${checked.problem} for task ${task.id}; ${checked.fix}`,
      );
      // The stack of the definition, which leads to the user's file; that of the check leads nowhere.
      error.stack = `${error.name}: ${error.message}\n${definedAt}`;
      throw error;
    },
  });
  return { provides: "reward", ...kind };
}
