/**
 * Tests whether MemUpdate learns which call a store needs. An episode has a statement, a store of five records, a
 * search and a change by tool calls. The reward asks one question about the store; held-out questions are evaluated as
 * well. One run, within one process:
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/memupdate.ts [--seed 1] [--shuffled] [--steps N]
 *   [--threads 1] [--base FOLDER] [--save FOLDER] [--out runs/learning]
 * then, over all files in --out: the same with --collect [--results bench/results] [--plots docs/images]
 */
import { storeTasks } from "../../packages/learning/small-world/src/index.js";
import type { Recipe } from "../../packages/learning/trainer/src/recipe/recipe-schema.js";
import { learningBench } from "./harness.js";

const evaluationTasks = 192;

function sets({ data }: Recipe) {
  if (data.source !== "store") throw new Error("the recipe's data are not statements for a store");
  const tasks = storeTasks({ ...data.store, count: evaluationTasks, seed: "evaluation" });
  // The evaluation samples as training does: the calls that the policy makes only now and then are the ones to become
  // rarer.
  return [{ name: "statements", tasks, temperature: 1 }];
}

await learningBench({
  name: "memupdate",
  tasks: {
    "small-store": {
      recipe: "recipes/memupdate/small-store.yaml",
      evaluateEvery: 5,
      measures: {
        "shown question": { measure: "shown" },
        "held-out questions": { measure: "heldOut" },
        "faulty calls": { measure: "faults" },
        "nothing changed": { measure: "unchanged" },
        "needless changes": { measure: "needless" },
      },
      sets,
    },
  },
  plots: [
    {
      file: "learning-memupdate",
      title: "MemUpdate, a small store: questions answered",
      yLabel: "score, mean and range of seeds",
      lines: [
        { task: "small-store", column: "shown question", name: "shown" },
        { task: "small-store", column: "held-out questions", name: "held out" },
      ],
    },
    {
      file: "learning-memupdate-calls",
      title: "MemUpdate, a small store: calls",
      yLabel: "an episode, mean and range of seeds",
      lines: [
        { task: "small-store", column: "faulty calls", name: "faulty calls" },
        { task: "small-store", column: "nothing changed", name: "nothing changed" },
      ],
    },
  ],
});
