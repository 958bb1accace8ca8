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
      "largest lag, in policy versions, of the weights that sampled a token behind the weights that it trains. 0: steps are synchronous; above 0: the groups of the next steps are sampled while the learner updates",
    ),
  staleGroups: staleGroupsSchema
    .default("wait")
    .describe(
      "which groups a step trains if maxStaleness is above 0. wait: its own, which are dispatched late enough that none becomes too stale; refill: whichever are complete, while a group that became too stale is dropped and replaced by the next question",
    ),
  zeroVarianceRefills: z
    .int()
    .min(0)
    .max(mostRefills)
    .default(0)
    .describe(
      "DAPO's dynamic sampling: groups whose episodes all have the same reward teach nothing, and are rejected, counted and replaced by further questions, at most this many times groupsPerStep in a step; 0: such groups are trained, with an advantage of zero",
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
