import type { CategoryResult, Evaluation } from "./length-results.js";

/** Writes the report's section on rewards by task category; returns no lines when no task has a category. */
export function categorySection(data: {
  readonly before?: Evaluation;
  readonly after: Evaluation;
}): string[] {
  const rows = data.after.lengths.flatMap(({ lengthTokens, categories }) => {
    const earlier = data.before?.lengths.find((length) => length.lengthTokens === lengthTokens);
    return categories.map((after) => ({
      lengthTokens,
      after,
      before: earlier?.categories.find(({ category }) => category === after.category),
    }));
  });
  if (rows.length === 0) return [];
  const compared = data.before !== undefined;
  const head = ["category", "document tokens", "episodes", ...(compared ? ["before", "after"] : ["reward"])];
  return [
    "",
    "## Reward by category",
    "",
    line(head),
    line(["---", ...head.slice(1).map(() => "---:")]),
    ...rows.map(({ lengthTokens, after, before }) => {
      const { category, episodes } = after;
      const rewards = [...(compared ? [rewardText(before)] : []), rewardText(after)];
      return line([cellText(category), lengthTokens, episodes, ...rewards]);
    }),
    "",
    "Means with bootstrap intervals over questions, 95 %.",
  ];
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

/** Escapes a category for a table. It is data, so it may contain characters that would end a cell or a line. */
const cellText = (text: string) => text.replace(/[|\\]/g, "\\$&").replace(/\s+/g, " ");

function rewardText(result: CategoryResult | undefined): string {
  if (!result) return "–";
  const { low, high } = result.meanRewardInterval;
  return `${result.meanReward.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
