/**
 * Tests whether ReMemR1 learns to look back. The second fact of each question stands before the first, and the memory
 * has room for one fact. The questions are answered by ReMemR1, by ReMemR1 whose queries find nothing, and by MemAgent
 * from a base that was trained on as many rows and steps. One run, within one process:
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/rememr1.ts [--task rememr1|no-recall|memagent] [--seed
 *   1] [--shuffled] [--steps N] [--threads 1] [--base FOLDER] [--save FOLDER] [--out runs/learning]
 * then, over all files in --out: the same with --collect [--results bench/results] [--plots docs/images]
 */
import { reverseTwoHopTasks } from "../../packages/learning/small-world/src/index.js";
import type { Recipe } from "../../packages/learning/trainer/src/recipe/recipe-schema.js";
import { type LearningTask, learningBench } from "./harness.js";

const unseen = (recipe: Recipe, segments: number, count: number) => {
  if (recipe.data.source !== "reverse-two-hop") throw new Error(`data.source: ${recipe.data.source}`);
  return reverseTwoHopTasks({
    ...recipe.data.reverseTwoHop,
    segments,
    count,
    seed: `evaluation/${segments}`,
  });
};

const lookBack = {
  recipe: "recipes/rememr1/look-back.yaml",
  evaluateEvery: 20,
  tasks: ({ data }: Recipe, seed: number) => {
    if (data.source !== "reverse-two-hop") throw new Error(`data.source: ${data.source}`);
    return reverseTwoHopTasks({ ...data.reverseTwoHop, seed: `train/${seed}` });
  },
  sets: (recipe: Recipe) => [
    { name: "8", tasks: unseen(recipe, 8, 128) },
    { name: "16", tasks: unseen(recipe, 16, 64) },
  ],
  measures: {
    "exact match": { measure: "exactMatch" },
    "at twice the length": { set: "16", measure: "exactMatch" },
  },
} satisfies LearningTask;
const recalls = {
  "queries an episode": { measure: "recall_queries" },
  "of which found": { measure: "recalled_memories" },
};

await learningBench({
  name: "rememr1",
  tasks: {
    rememr1: { ...lookBack, measures: { ...lookBack.measures, ...recalls } },
    "no-recall": {
      ...lookBack,
      adapt: (recipe) =>
        recipe.agent.kind === "rememr1"
          ? { ...recipe, agent: { ...recipe.agent, config: { ...recipe.agent.config, recall: false } } }
          : recipe,
    },
    memagent: { ...lookBack, recipe: "recipes/rememr1/look-back-memagent.yaml" },
  },
  plots: [
    {
      file: "learning-rememr1",
      title: "Looking back: exact match on unseen questions",
      yLabel: "exact match, mean and range of seeds",
      lines: [
        { task: "rememr1", column: "exact match", name: "ReMemR1" },
        { task: "no-recall", column: "exact match", name: "ReMemR1, nothing recalled" },
        { task: "memagent", column: "exact match", name: "MemAgent" },
      ],
    },
  ],
});
