import { join } from "node:path";
import type { ActorHandle } from "@palimpsest/client";
import { allTasks, saveTasks } from "@palimpsest/datasets";
import type { Trace } from "@palimpsest/evals";
import { rulerTasks } from "@palimpsest/small-world";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { AnswerRequest, RolloutActor } from "../actors/rollout-actor.js";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { parseRecipe, readRecipe } from "../recipe/recipe.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { evaluate, openEvaluation, tracedPerLength } from "./evaluation.js";

async function evaluationTasks(recipe: Recipe) {
  const lengths = await openEvaluation(recipe);
  return await Promise.all(
    lengths.map(async ({ lengthTokens, tasks }) => ({ lengthTokens, tasks: await allTasks(tasks) })),
  );
}

test("the questions of a length are the same at every call and differ between lengths", async () => {
  const { recipe } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const first = await evaluationTasks(recipe);
  expect(await evaluationTasks(recipe)).toEqual(first);
  expect(first.map(({ lengthTokens }) => lengthTokens)).toEqual([64, 128, 256, 512, 1024]);
  const ids = first.flatMap(({ tasks }) => tasks.map((task) => task.id));
  expect(new Set(ids).size).toBe(ids.length);
});

test("prepared files are the questions instead, each a length, found beside the recipe", async () => {
  const folder = testFolder();
  const { recipe, text } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const tasks = rulerTasks({ count: 3, sentences: 4 });
  await saveTasks(join(folder, "short.jsonl"), tasks);
  await saveTasks(join(folder, "long.jsonl"), tasks.slice(0, 2));
  const document = parseDocument(text);
  document.setIn(["evaluation"], {
    tasks: 2,
    files: [
      { path: "short.jsonl", lengthTokens: 100 },
      { path: "long.jsonl", lengthTokens: 400 },
    ],
  });
  const prepared = parseRecipe(document.toString(), folder);
  expect(await evaluationTasks({ ...prepared, model: recipe.model })).toEqual([
    { lengthTokens: 100, tasks: tasks.slice(0, 2) },
    { lengthTokens: 400, tasks: tasks.slice(0, 2) },
  ]);
  document.setIn(["evaluation"], { tasks: 2 });
  expect(() => parseRecipe(document.toString(), folder)).toThrow(
    "exactly one of source, a generator, and files",
  );
});

test("an evaluation with an answer of another version than the one it is of is an error, not a number (EVALUATING-1)", async () => {
  const { recipe } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const lengths = (await openEvaluation({ ...recipe, evaluation: fewQuestions(recipe) })).slice(0, 1);
  const prediction = {
    text: "x",
    counts: { conversations: 1, promptTokens: 1, sampledTokens: 1, truncated: 0 },
    measures: { reward: 1, "reward.exactMatch": 1 },
  };
  let asked = 0;
  /** A rollout actor whose weights change under the third question. */
  const actor = {
    with: () => actor,
    stats: async () => ({ peakRssBytes: 1 }),
    answer: async () => ({ prediction, began: 2, ended: ++asked < 3 ? 2 : 3 }),
  } as unknown as ActorHandle<RolloutActor>;
  const run = { rollouts: [actor], recipe, lengths, onProgress() {}, signal: new AbortController().signal };
  await expect(evaluate({ ...run, policyVersion: 2 })).rejects.toThrow(
    /version 2 is discarded, because version 3 gave/,
  );
  asked = -100;
  expect((await evaluate({ ...run, policyVersion: 2 })).lengths[0]).toMatchObject({ n: 4, exactMatch: 1 });
});

test("an evaluation samples with its own temperature and truncation, whatever training samples with", async () => {
  const { recipe: quickstart } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const asked: AnswerRequest[] = [];
  const actor = {
    with: () => actor,
    stats: async () => ({ peakRssBytes: 1 }),
    answer: async (request: AnswerRequest) => {
      asked.push(request);
      const counts = { conversations: 1, promptTokens: 1, sampledTokens: 1, truncated: 0 };
      return { prediction: { text: "x", counts, measures: { reward: 1 } }, began: 2, ended: 2 };
    },
  } as unknown as ActorHandle<RolloutActor>;
  for (const topP of [0.95, undefined]) {
    const recipe = {
      ...quickstart,
      evaluation: { ...fewQuestions(quickstart), tasks: 1, temperature: 0.7, topP },
    };
    await evaluate({
      ...{ rollouts: [actor], recipe, lengths: (await openEvaluation(recipe)).slice(0, 1), policyVersion: 2 },
      ...{ onProgress() {}, signal: new AbortController().signal },
    });
  }
  expect(asked.map(({ temperature, topP }) => [temperature, topP])).toEqual([
    [0.7, 0.95],
    [0.7, undefined],
  ]);
});

test("the first questions of each length are traced, once each, in the group of all evaluations of the question", async () => {
  const { recipe: quickstart } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const recipe = { ...quickstart, evaluation: { ...fewQuestions(quickstart), tasks: 10, samples: 2 } };
  const lengths = (await openEvaluation(recipe)).slice(0, 2);
  const prediction = {
    text: "x",
    counts: { conversations: 1, promptTokens: 1, sampledTokens: 1, truncated: 0 },
    measures: { reward: 1 },
  };
  const actor = {
    with: () => actor,
    stats: async () => ({ peakRssBytes: 1 }),
    answer: async ({ traced }: AnswerRequest) => ({
      ...{ prediction, began: 2, ended: 2 },
      ...(traced ? { trace: traced } : {}),
    }),
  } as unknown as ActorHandle<RolloutActor>;
  let traces: readonly Pick<Trace, "trajectoryId" | "groupId">[] = [];
  await evaluate({
    ...{ rollouts: [actor], recipe, lengths, policyVersion: 2, onProgress() {} },
    signal: new AbortController().signal,
    onTraces: async (given) => {
      traces = given;
    },
  });
  expect(traces).toHaveLength(2 * tracedPerLength);
  expect(new Set(traces.map(({ groupId }) => groupId)).size).toBe(traces.length);
  expect(traces[0]?.groupId).toMatch(/^evaluation\/64\/0\//);
  for (const { trajectoryId, groupId } of traces) expect(trajectoryId).toBe(`${groupId}/version-2`);
});

function fewQuestions({ evaluation }: Recipe): NonNullable<Recipe["evaluation"]> {
  if (!evaluation) throw new Error("the quickstart has no evaluation");
  return { ...evaluation, tasks: 4 };
}
