import { byCategory, taskCategory } from "@palimpsest/evals";
import type { Group, GroupRequest } from "@palimpsest/trajectories";

/** Categories of a step's tasks by the tasks' ids; undefined if no task has one. */
export function categoriesOf(groups: readonly GroupRequest[]): Record<string, string> | undefined {
  const categories = Object.fromEntries(
    groups.flatMap(({ task: { id, metadata } }) => {
      const category = taskCategory(metadata);
      return category === undefined ? [] : [[id, category]];
    }),
  );
  return Object.keys(categories).length === 0 ? undefined : categories;
}

/** Mean reward of the episodes of each category. */
export function rewardByCategory(
  groups: readonly Pick<Group, "taskId" | "members">[],
  categories: Readonly<Record<string, string>>,
): Record<string, number> {
  const known = new Map(Object.entries(categories));
  const values = groups.flatMap(({ taskId, members }) =>
    members.map(({ score }) => ({ category: known.get(taskId), value: score.reward })),
  );
  return Object.fromEntries(
    [...byCategory(values)].map(([category, rewards]) => [
      category,
      rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length,
    ]),
  );
}
