import { z } from "zod";

const staleGroupsSchema = z.enum(["wait", "refill"]);
export type StaleGroups = z.infer<typeof staleGroupsSchema>;

/** verl, AReaL, SkyRL and prime-rl use bounds of 1 to 8. */
const mostStaleness = 8;

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
      "policy versions that a trained token may lag behind the weights that it trains; 0: steps are synchronous; above 0 the next steps' groups are sampled while the learner updates",
    ),
  staleGroups: staleGroupsSchema
    .default("wait")
    .describe(
      "with maxStaleness above 0. wait: a step takes its own groups, which are dispatched late enough that none becomes too stale; refill: it takes whichever are complete, and a group that became too stale is dropped and replaced by the next question",
    ),
  zeroVarianceRefills: z
    .int()
    .min(0)
    .max(mostRefills)
    .default(0)
    .describe(
      "bounds, in multiples of groupsPerStep, the further questions that a step may dispatch in place of groups that teach nothing because all of their episodes have the same reward: these are counted and rejected (DAPO's dynamic sampling); 0: they are trained, with an advantage of zero",
    ),
};

/** Number of groups that a step of the recipe may have replaced. */
export function refillsOf({
  zeroVarianceRefills,
  groupsPerStep,
}: {
  readonly zeroVarianceRefills: number;
  readonly groupsPerStep: number;
}): number {
  return zeroVarianceRefills * groupsPerStep;
}
