/**
 * Has MemUpdate edit stores for questions, with the adapters of a run and without them, greedily, and scores each edit by the recipe's
 * reward: what it gains, which calls were valid, and what was written, a line of JSON per question, besides the means.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/store-edits.ts --recipe FILE --model FILE --questions test.jsonl --json FILE
 *   [--adapters RUN_CHECKPOINT_OR_PEFT] [--count 128] [--rows 64]
 */
import { writeFileSync } from "node:fs";
import { createAgent } from "../../packages/learning/agents/src/index.js";
import { loadTasks } from "../../packages/learning/datasets/src/index.js";
import { hashedEmbedder } from "../../packages/learning/memory/src/index.js";
import { trajectoryReward } from "../../packages/learning/rewards/src/index.js";
import { readRecipe } from "../../packages/learning/trainer/src/index.js";
import { benchFlags } from "../flags.js";
import { openPolicySampler } from "./policy-sampler.js";

const flags = benchFlags({
  recipe: "",
  model: "",
  questions: "",
  json: "",
  adapters: undefined,
  count: "128",
  rows: "64",
});

const { recipe } = readRecipe(flags.recipe);
if (recipe.agent.kind !== "memupdate") throw new Error(`the agent of ${flags.recipe} is no memupdate`);
const { sampler, tokenizer, chat, policyVersion, usePolicy } = await openPolicySampler({
  recipe,
  model: flags.model,
  adapters: flags.adapters,
  rows: Number(flags.rows),
});
await usePolicy(flags.adapters !== undefined);
const settings = { ...recipe.agent, config: { ...recipe.agent.config, temperature: 0 } };
const agent = createAgent(settings, {
  sampler,
  tokenizer,
  contextTokens: recipe.rollout.maxTokens,
  ...(chat ? { chat } : {}),
});
const reward = trajectoryReward(recipe.reward.config, { embedder: hashedEmbedder() });
const { tasks } = await loadTasks(flags.questions);
// Every n-th question, so that all conversations have their part.
const every = Math.max(1, Math.floor(tasks.length / Number(flags.count)));
const asked = tasks.filter((_, at) => at % every === 0).slice(0, Number(flags.count));

const began = performance.now();
const questions = await Promise.all(
  asked.map(async (task) => {
    const episode = await agent.run(task, { seed: 1 });
    const score = await reward(task, { ...episode, memorySteps: episode.steps });
    const counted = (name: string) => episode.counters?.[name] ?? 0;
    return {
      id: task.id,
      conversation: task.metadata["conversation"],
      category: task.metadata["category"],
      question: task.question,
      answers: task.answers,
      reward: score.reward,
      ...score.components,
      validCalls: counted("done_calls"),
      malformed: counted("malformed_calls"),
      failed: counted("failed_calls") + counted("refused_calls"),
      endedByWord: counted("ended.done"),
      wrote: episode.memory,
    };
  }),
);
const mean = (of: (one: (typeof questions)[number]) => number) =>
  Number((questions.reduce((sum, one) => sum + of(one), 0) / questions.length).toFixed(4));
const told = {
  policyVersion,
  questions: questions.length,
  seconds: Number(((performance.now() - began) / 1000).toFixed(1)),
  reward: mean(({ reward: value }) => value),
  calls: mean(({ validCalls, malformed, failed }) => validCalls + malformed + failed),
  validShare: Number(
    (
      mean(({ validCalls }) => validCalls) /
      Math.max(
        1e-9,
        mean(({ validCalls, malformed, failed }) => validCalls + malformed + failed),
      )
    ).toFixed(4),
  ),
  wroteShare: mean(({ wrote }) => (wrote === "" ? 0 : 1)),
};
console.log(JSON.stringify(told));
if (flags.json !== "") writeFileSync(flags.json, JSON.stringify({ ...told, each: questions }));
await sampler.close();
process.exit(0);
