import { checkParts, parseInput } from "@palimpsest/std/input";
import type { z } from "zod";
import { LearnerError } from "../config/error.js";
import type { AdvantageConfig } from "../config/loss-config.js";
import type { EpisodeReward } from "./episode-reward.js";

/** Advantages of one group's episodes, in their order. */
export type GroupAdvantage = (group: readonly EpisodeReward[]) => readonly number[];

/** The default export of a module that a recipe names with `learner: { advantage: { module: ./my-advantage.ts } }`. */
export interface AdvantageModule {
  readonly provides: "advantage";
  readonly schema: z.ZodType<object>;
  /** @param settings as in the recipe @throws {z.ZodError} */
  create(settings: unknown): GroupAdvantage;
}

/**
 * Defines your own advantage estimator.
 * @param definition.settings schema of the settings that a recipe may give, such as `z.strictObject({})` for none
 * @param definition.advantages returns one finite number per episode, in the group's order; it must be deterministic, because
 *   a replayed step must give the same result
 */
export function defineAdvantage<Config extends object>(definition: {
  readonly settings: z.ZodType<Config>;
  advantages(group: readonly EpisodeReward[], settings: Config): readonly number[];
}): AdvantageModule {
  const parts = { settings: "a schema, such as z.strictObject({})", advantages: "a function" } as const;
  checkParts(
    definition,
    "defineAdvantage()",
    parts,
    (problem) => new LearnerError("CONFIG_INVALID", problem),
  );
  const { settings: schema } = definition;
  return {
    provides: "advantage",
    schema,
    create(given) {
      const settings = schema.parse(given);
      return (group) => definition.advantages(group, settings);
    },
  };
}

/** Returns the function of a configuration that names a module; undefined for others. @throws {LearnerError} CONFIG_INVALID */
export function ownAdvantage(
  config: AdvantageConfig,
  module: AdvantageModule | undefined,
): GroupAdvantage | undefined {
  if (!("module" in config)) return undefined;
  if (module === undefined)
    throw new LearnerError(
      "CONFIG_INVALID",
      `advantage.module: "${config.module}" was not loaded; pass the loaded module to createLearner`,
    );
  const refuse = (problem: string) => new LearnerError("CONFIG_INVALID", `advantage.settings: ${problem}`);
  parseInput(module.schema, config.settings, refuse);
  return module.create(config.settings);
}
