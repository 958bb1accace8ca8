import { z } from "zod";
import type { EpisodeReward } from "./episode-reward.js";
import { LearnerError } from "./error.js";
import type { AdvantageConfig } from "./loss-config.js";

/** Advantages of one group's episodes, in their order. */
export type GroupAdvantage = (group: readonly EpisodeReward[]) => readonly number[];

/** What a module exports as `default` so that a recipe can say `learner: { advantage: { module: ./my-advantage.ts } }`. */
export interface AdvantageModule {
  readonly provides: "advantage";
  readonly schema: z.ZodType<object>;
  /** @param settings as a recipe has them @throws {z.ZodError} */
  create(settings: unknown): GroupAdvantage;
}

/**
 * An advantage estimator of your own.
 * @param definition.settings schema of what a recipe may set, such as `z.strictObject({})` for nothing
 * @param definition.advantages one finite number an episode, in the group's order; the same for the same group: a step that
 *   is replayed must come out as it was
 */
export function defineAdvantage<Config extends object>(definition: {
  readonly settings: z.ZodType<Config>;
  advantages(group: readonly EpisodeReward[], settings: Config): readonly number[];
}): AdvantageModule {
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

/** The function of a configuration that names a module; undefined for the others. @throws {LearnerError} CONFIG_INVALID */
export function ownAdvantage(
  config: AdvantageConfig,
  module: AdvantageModule | undefined,
): GroupAdvantage | undefined {
  if (!("module" in config)) return undefined;
  if (module === undefined)
    throw new LearnerError("CONFIG_INVALID", `advantage.module: ${config.module} was not loaded here`);
  const parsed = module.schema.safeParse(config.settings);
  if (parsed.success) return module.create(config.settings);
  throw new LearnerError("CONFIG_INVALID", `advantage.settings: ${z.prettifyError(parsed.error)}`);
}
