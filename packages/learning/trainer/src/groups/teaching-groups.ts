import type { Group } from "@palimpsest/trajectories";
import type { Recipe } from "../recipe/recipe-schema.js";

export interface SortedGroups {
  /** The groups to train. */
  readonly groups: readonly Group[];
  readonly rejected: readonly Group[];
}

/**
 * Separates a step's groups that teach from those that do not. If none does, the first `groupsPerStep` are trained as they
 * would be without refills: KL and entropy may still have a gradient, and a run should not end because its questions are too easy.
 */
export function sortedOut(
  groups: readonly Group[],
  teaches: (group: Group) => boolean,
  { groupsPerStep }: { readonly groupsPerStep: number },
): SortedGroups {
  const ordered = [...groups].sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
  const teaching = ordered.filter(teaches);
  if (teaching.length === 0)
    return { groups: ordered.slice(0, groupsPerStep), rejected: ordered.slice(groupsPerStep) };
  return { groups: teaching, rejected: ordered.filter((group) => !teaching.includes(group)) };
}

/** The figures of a step that rejects groups. */
export interface RejectedGroups {
  readonly groups: number;
  /** Mean reward of all episodes that the step took, including those of rejected groups. */
  readonly sampledRewardMean: number;
  /** True if no group taught anything: the trained groups had an advantage of zero, too. */
  readonly noneTaught: boolean;
}

/** @returns no figures if the recipe's steps reject nothing */
export function rejectedIn(
  { train }: Pick<Recipe, "train">,
  { groups, rejected }: SortedGroups,
  teaches: (group: Group) => boolean,
): { readonly rejected?: RejectedGroups } {
  if (train.zeroVarianceRefills === 0) return {};
  const rewards = [...groups, ...rejected].flatMap(({ members }) => members.map(({ score }) => score.reward));
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  return {
    rejected: {
      groups: rejected.length,
      sampledRewardMean: sum / Math.max(rewards.length, 1),
      noneTaught: !groups.some(teaches),
    },
  };
}

/** Returns the notice for a step that ran out of refills. */
export function shortageNotice(
  { step, groupsTrained, rejected }: ShortStep,
  { groupsPerStep, zeroVarianceRefills }: Pick<Recipe["train"], "groupsPerStep" | "zeroVarianceRefills">,
): string | undefined {
  if (rejected === undefined) return undefined;
  const { groups, noneTaught } = rejected;
  const fix = "the questions are too easy or too hard for the policy; change the data or the curriculum";
  if (noneTaught)
    return `none of the ${groups + groupsTrained} groups of step ${step} has episodes with different rewards, so ${groupsTrained} of them are trained with an advantage of zero; ${fix}`;
  if (groups <= zeroVarianceRefills * groupsPerStep) return undefined;
  return `step ${step} trains ${groupsTrained} of ${groupsPerStep} groups: in ${groups} others all episodes have the same reward, and zeroVarianceRefills is ${zeroVarianceRefills}; ${fix}`;
}

interface ShortStep {
  readonly step: number;
  readonly groupsTrained: number;
  readonly rejected?: RejectedGroups;
}
