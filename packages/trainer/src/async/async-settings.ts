import { z } from "zod";

export const staleGroupsSchema = z.enum(["wait", "refill"]);
export type StaleGroups = z.infer<typeof staleGroupsSchema>;

/** verl, AReaL, SkyRL and prime-rl work with bounds of 1 to 8. */
export const mostStaleness = 8;

/** verl's DAPO recipes give up after 10 batches. */
const mostRefills = 16;

/** Fields of a recipe's `train` that let rollouts and updates overlap. */
export const asyncFields = {
  maxStaleness: z
    .int()
    .min(0)
    .max(mostStaleness)
    .default(0)
    .describe(
      "policy versions that a trained token may lie behind the weights that it trains; 0: steps are synchronous, above it the next steps' groups are sampled while the learner updates",
    ),
  staleGroups: staleGroupsSchema
    .default("wait")
    .describe(
      "with maxStaleness above 0. wait: a step takes its own groups, which are dispatched so late that none becomes too stale; refill: it takes whichever are complete, and a group that became too stale is dropped and replaced by the next question",
    ),
  zeroVarianceRefills: z
    .int()
    .min(0)
    .max(mostRefills)
    .default(0)
    .describe(
      "times groupsPerStep of further questions that a step may ask for groups that teach nothing, since all of their episodes earned the same: these are counted and left out (DAPO's dynamic sampling); 0: they are trained, with an advantage of zero",
    ),
};

/** Groups that a step of the recipe may have replaced. */
export function refillsOf({
  zeroVarianceRefills,
  groupsPerStep,
}: {
  readonly zeroVarianceRefills: number;
  readonly groupsPerStep: number;
}): number {
  return zeroVarianceRefills * groupsPerStep;
}
