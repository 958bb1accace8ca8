import type { Group } from "@palimpsest/trajectories";
import type { Recipe } from "./recipe/recipe-schema.js";

export interface SortedGroups {
  /** To train. */
  readonly groups: readonly Group[];
  readonly rejected: readonly Group[];
}

/**
 * A step's groups, those that teach apart from those that do not. Where none does, the first `groupsPerStep` are trained as they
 * would be without refills: KL and entropy may still have a gradient, and a run does not end because its questions are too easy.
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

/** What a step that rejects groups says of them. */
export interface RejectedGroups {
  readonly groups: number;
  /** Mean reward of all episodes that the step took, those of rejected groups too. */
  readonly sampledRewardMean: number;
  /** No group taught anything: those that were trained had no advantage either. */
  readonly noneTaught: boolean;
}

/** @returns nothing where steps reject nothing */
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

/** What a person is told of a step that ran out of refills. */
export function shortageNotice(
  { step, groupsTrained, rejected }: ShortStep,
  { groupsPerStep, zeroVarianceRefills }: Pick<Recipe["train"], "groupsPerStep" | "zeroVarianceRefills">,
): string | undefined {
  if (rejected === undefined) return undefined;
  const { groups, noneTaught } = rejected;
  const fix = "the questions are too easy or too hard for the policy";
  if (noneTaught)
    return `none of the ${groups + groupsTrained} groups of step ${step} has episodes of different worth: ${groupsTrained} of them are trained with an advantage of zero; ${fix}`;
  if (groups <= zeroVarianceRefills * groupsPerStep) return undefined;
  return `step ${step} trains ${groupsTrained} of ${groupsPerStep} groups: ${groups} others have episodes that all earned the same, and zeroVarianceRefills is ${zeroVarianceRefills}; ${fix}`;
}

interface ShortStep {
  readonly step: number;
  readonly groupsTrained: number;
  readonly rejected?: RejectedGroups;
}
