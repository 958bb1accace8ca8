import type { GroupBatch } from "@palimpsest/trajectories";
import type { StepGroups } from "../step-protocol.js";
import type { ScheduleState } from "./group-schedule.js";

/** What a step with a window took of it: the groups that it trained, and those that failed while it waited. */
export function takenBy(
  { groupIds, window }: StepGroups,
  { groups, dropped }: Pick<GroupBatch, "groups" | "dropped">,
): { readonly taken?: { readonly groupIds: readonly string[]; readonly schedule: ScheduleState } } {
  if (window === undefined) return {};
  const taken = new Set([...groups, ...dropped].map(({ groupId }) => groupId));
  const gone = new Set(window.indexes.filter((_, at) => taken.has(groupIds[at] as string)));
  const { next, open } = window.schedule;
  return {
    taken: { groupIds: [...taken], schedule: { next, open: open.filter((index) => !gone.has(index)) } },
  };
}
