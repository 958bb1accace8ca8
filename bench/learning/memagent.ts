/**
 * Tests whether MemAgent learns what to keep. The task "needle" has one fact, as in the quickstart; "two-hop" has two
 * facts, at least one chunk apart, and only the first makes the second worth keeping. One run, within one process:
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/memagent.ts [--task needle|two-hop] [--seed 1]
 *   [--shuffled] [--steps N] [--threads 1] [--base FOLDER] [--save FOLDER] [--out runs/learning]
 * then, over all files in --out: the same with --collect [--results bench/results] [--plots docs/images]
 */
import { learningBench } from "./harness.js";

await learningBench({
  name: "memagent",
  tasks: {
    needle: {
      recipe: "recipes/memagent/needle.yaml",
      evaluateEvery: 10,
      measures: {
        "exact match": { measure: "exactMatch" },
        "at 4 times the length": { set: "256", measure: "exactMatch" },
      },
    },
    "two-hop": {
      recipe: "recipes/memagent/two-hop.yaml",
      evaluateEvery: 10,
      measures: {
        "exact match": { measure: "exactMatch" },
        "at 4 times the length": { set: "256", measure: "exactMatch" },
      },
    },
    "hotpotqa-gpu": {
      recipe: "recipes/memagent/smollm2-hotpotqa-gpu.yaml",
      evaluateEvery: 10,
      measures: { F1: { measure: "f1" }, "exact match": { measure: "exactMatch" } },
    },
    hotpotqa: {
      recipe: "recipes/memagent/smollm2-hotpotqa.yaml",
      evaluateEvery: 10,
      measures: { F1: { measure: "f1" }, "exact match": { measure: "exactMatch" } },
    },
  },
  plots: [
    {
      file: "learning-memagent-needle",
      title: "MemAgent, needle: exact match on unseen questions",
      yLabel: "exact match, mean and range of seeds",
      lines: [{ task: "needle", column: "exact match", name: "needle" }],
    },
    {
      file: "learning-memagent-two-hop",
      title: "MemAgent, two hops: exact match on unseen questions",
      yLabel: "exact match, mean and range of seeds",
      lines: [{ task: "two-hop", column: "exact match", name: "two-hop" }],
    },
    {
      file: "learning-memagent-hotpotqa",
      title: "SmolLM2-135M on HotpotQA: F1 on unseen questions",
      yLabel: "F1",
      lines: [{ task: "hotpotqa-gpu", column: "F1", name: "SmolLM2" }],
    },
  ],
});
