import type { ScheduleState } from "./group-schedule.js";
import type { StepBatch, StepGroups } from "./step-groups.js";

/** The groups that a step took: for a window those that it trained, rejected, or that failed; otherwise all. */
export function takenBy(
  { groupIds, window }: StepGroups,
  { groups, dropped, rejected }: Pick<StepBatch, "groups" | "dropped" | "rejected">,
): { readonly taken?: { readonly groupIds: readonly string[]; readonly schedule: ScheduleState } } {
  if (window === undefined) return {};
  const taken = new Set(
    window.count === undefined
      ? groupIds
      : [...groups, ...rejected, ...dropped].map(({ groupId }) => groupId),
  );
  const gone = new Set(window.indexes.filter((_, at) => taken.has(groupIds[at] as string)));
  const { next, open } = window.schedule;
  return {
    taken: { groupIds: [...taken], schedule: { next, open: open.filter((index) => !gone.has(index)) } },
  };
}
