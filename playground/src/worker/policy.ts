/** The packages' agent, sampler, reward and learner over the wasm backend, from the base model that the page carries. */

import start from "playground:start";
import program from "playground:wasm";
import { traceEpisode } from "@palimpsest/evals/trace";
import type { Trace } from "@palimpsest/evals/trace-schema";
import { loadBackend } from "@palimpsest/jit";
import { createLearner } from "@palimpsest/learner";
import { createSampler } from "@palimpsest/model";
import { boxedAnswer, trajectoryReward } from "@palimpsest/rewards";
import { openRulerTasks, rulerConfigSchema } from "@palimpsest/small-world";
import {
  learnerSettings,
  openModelText,
  rolloutAgent,
  samplerSettings,
  sampleStep,
} from "@palimpsest/trainer/in-process";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import type { Question, Weights, World } from "./messages.js";

const { recipe, model, text } = start;
const examination = { ...recipe.evaluation.source, count: 100, seed: "examination" };

function baseWeights(): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(start.weights).map(([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      return [name, new Float32Array(bytes.buffer)];
    }),
  );
}

/** As the recipe writes them: the generator's schema takes lists and texts of words. */
const { names, values, fillers } = rulerConfigSchema.parse(examination);
export const world: World = { names, values, fillers };

export async function openPolicy() {
  const address = URL.createObjectURL(new Blob([program], { type: "application/wasm" }));
  // It wants an address for each of its three programs, and starts the one with SIMD.
  setWasmPaths({
    "tfjs-backend-wasm.wasm": address,
    "tfjs-backend-wasm-simd.wasm": address,
    "tfjs-backend-wasm-threaded-simd.wasm": address,
  });
  const backend = await loadBackend();
  const { tokenizer } = openModelText(text, 0);
  const sampler = createSampler({
    backend,
    config: model,
    parameters: baseWeights(),
    ...samplerSettings(recipe),
  });
  const agent = rolloutAgent(recipe, { sampler, tokenizer });
  const reward = trajectoryReward(recipe.reward.config);
  const exam = openRulerTasks(examination);

  const shown = openRulerTasks({ ...examination, count: 500, seed: "shown" });

  /** Reads one question greedily, as in an evaluation. */
  const answer = async (question: Question) => {
    const { question: asked, document } = question;
    const result = await agent.run({ question: asked, document }, { seed: 1, temperature: 0 });
    const trajectory = { ...result, memorySteps: result.steps };
    const score = await reward({ metadata: {}, ...question }, trajectory);
    return { trajectory, score };
  };

  return {
    setWeights: (weights: Weights, version: number) => sampler.setWeights(weights, version),

    /** Draws a question that is neither trained nor examined. */
    async draw(position: number): Promise<Question> {
      const { id, question, document, answers, metadata } = await shown.open(position % shown.count);
      return { id, question, document, answers, evidence: String(metadata["evidence"]) };
    },

    async trace(question: Question): Promise<{ readonly trace: Trace; readonly answer: string }> {
      const { trajectory, score } = await answer(question);
      const { evidence, ...task } = question;
      const metadata = evidence === undefined ? {} : { metadata: { evidence, kind: "needle" } };
      const trace = traceEpisode({ ...task, ...metadata }, trajectory, {
        origin: "train",
        trajectoryId: question.id,
        agent: agent.name,
        tokenizer,
        detail: "text",
        ...(question.answers.length > 0 ? { score } : {}),
      });
      return { trace, answer: (boxedAnswer(trace.answer) ?? trace.answer).trim() };
    },

    /** @returns how many questions it answers exactly, and how many there are */
    async examine() {
      const scores = await Promise.all(
        Array.from({ length: exam.count }, async (_, position) => {
          const task = await exam.open(position);
          return (await answer({ ...task, id: task.id })).score.reward;
        }),
      );
      return { right: scores.filter((score) => score >= 1).length, questions: exam.count };
    },

    /** The steps of a run in one process, each from the sampled groups to the weights that it taught. */
    async *steps(shuffleRewards: boolean) {
      const tasks = openRulerTasks(recipe.data.ruler);
      const learner = createLearner({
        backend,
        config: learnerSettings(recipe),
        model,
        parameters: baseWeights(),
        objectives: ["policy"],
      });
      try {
        await sampler.setWeights(learner.parameters(), learner.policyVersion);
        let first = 0;
        for (let step = 1; step <= recipe.train.steps; step++) {
          const source = {
            recipe,
            agent,
            reward,
            tasks,
            readsTokens: false,
            teaches: () => true,
            signal: undefined,
          };
          const { groups, next } = await sampleStep(source, step, first);
          first = next;
          await learner.update(groups, { shuffleRewards });
          const weights = learner.parameters();
          await sampler.setWeights(weights, learner.policyVersion);
          const rewards = groups.flatMap(({ members }) => members.map(({ score }) => score.reward));
          yield {
            step,
            reward: rewards.reduce((sum, one) => sum + one, 0) / rewards.length,
            isLast: step === recipe.train.steps,
            weights,
          };
        }
      } finally {
        learner.close();
      }
    },
  };
}
