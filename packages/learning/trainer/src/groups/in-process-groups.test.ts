import type { Agent, EpisodeResult } from "@palimpsest/agents";
import { generatedTasks } from "@palimpsest/datasets";
import { expect, it } from "vitest";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { readRecipe } from "../recipe/recipe.js";
import { sampleStep, settingsWithoutEffect } from "./in-process-groups.js";

const { recipe: quickstart } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
const recipe = {
  ...quickstart,
  learner: { ...quickstart.learner, groupSize: 3 },
  train: { ...quickstart.train, groupsPerStep: 2, minGroupSize: 2 },
};

const tasks = generatedTasks(3, (position) => ({
  id: `t${position}`,
  question: "who",
  answers: ["a"],
  document: "",
  metadata: {},
}));

function agentThatFails(fails: (call: number) => boolean): Agent {
  let calls = 0;
  return {
    name: "test",
    run: async (_task, options): Promise<EpisodeResult> => {
      calls += 1;
      if (fails(calls)) throw new Error(`call ${calls}`);
      const empty = { conversations: 0, promptTokens: 0, sampledTokens: 0, truncated: 0, emptyUpdates: 0 };
      return {
        answer: String(options?.seed),
        memory: "",
        steps: [],
        conversations: [],
        counts: empty,
        documentTokens: 0,
        droppedDocumentTokens: 0,
        policyVersionMin: 0,
        policyVersionMax: 0,
        weightsHash: "",
        startedAtMs: 0,
        endedAtMs: 0,
      };
    },
  };
}

const source = (agent: Agent) => ({
  recipe,
  agent,
  reward: () => ({ reward: 1, components: {} }),
  readsTokens: false,
  tasks,
  teaches: () => true,
  signal: undefined,
});

it("INPROCESS-2: a failed episode leaves its group and is counted; a group that is too small is left out", async () => {
  const { groups, failures } = await sampleStep(source(agentThatFails((call) => call === 1)), 1, 0);
  expect(groups.map(({ taskId, members }) => [taskId, members.length])).toEqual([
    ["t0", 2],
    ["t1", 3],
  ]);
  expect(failures).toEqual(["call 1"]);
  const next = await sampleStep(source(agentThatFails((call) => call <= 2)), 2, 2);
  expect(next.groups.map(({ taskId }) => taskId)).toEqual(["t0"]);
  await expect(sampleStep(source(agentThatFails(() => true)), 1, 0)).rejects.toThrow(
    /every group of step 1 failed; the first failure is: call/,
  );
});

it("plays as many episodes at once as the recipe's rollout actors would, and no more", async () => {
  let [now, most, played] = [0, 0, 0];
  const agent = agentThatFails(() => false);
  const busy: Agent = {
    ...agent,
    run: async (...given) => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      // A place is free again after a failure, too.
      if (++played % 5 === 0) throw new Error("planned");
      return await agent.run(...given);
    },
  };
  const many = {
    ...recipe,
    rollout: { ...recipe.rollout, actors: 2, concurrency: 3 },
    learner: { ...recipe.learner, groupSize: 8 },
    train: { ...recipe.train, groupsPerStep: 4 },
  };
  const { groups, failures } = await sampleStep({ ...source(busy), recipe: many }, 1, 0);
  expect(groups.reduce((sum, { members }) => sum + members.length, failures.length)).toBe(32);
  expect({ most, played, now }).toEqual({ most: 6, played: 32, now: 0 });
});

it("asks the next questions for groups that teach nothing, so many and no more; the next step goes on after them (SCHEDULE-5)", async () => {
  const eight = generatedTasks(8, (position) => ({
    id: `t${position}`,
    question: "who",
    answers: ["a"],
    document: "",
    metadata: {},
  }));
  const sampled = async (flat: readonly string[], first: number) => {
    const { groups, rejected, next } = await sampleStep(
      {
        ...source(agentThatFails(() => false)),
        recipe: { ...recipe, train: { ...recipe.train, zeroVarianceRefills: 1 } },
        tasks: eight,
        teaches: ({ taskId }) => !flat.includes(taskId),
      },
      1,
      first,
    );
    const ids = (some: readonly { readonly taskId: string }[]) => some.map(({ taskId }) => taskId).join();
    return { trained: ids(groups), rejected: ids(rejected), next };
  };
  expect(await sampled([], 0)).toEqual({ trained: "t0,t1", rejected: "", next: 2 });
  expect(await sampled(["t0", "t2"], 0)).toEqual({ trained: "t1,t3", rejected: "t0,t2", next: 4 });
  expect(await sampled(["t4", "t5", "t6"], 4)).toEqual({ trained: "t7", rejected: "t4,t5,t6", next: 8 });
  expect(await sampled(["t0", "t1", "t2", "t3"], 0)).toEqual({
    trained: "t0,t1",
    rejected: "t2,t3",
    next: 4,
  });
});

it("settings that do nothing in one process are told by name", () => {
  const { evaluation: _, ...without } = recipe;
  expect(settingsWithoutEffect(without)).toEqual([]);
  const train = { ...recipe.train, stopWhen: { patienceEvaluations: 1, minimumGain: 0 }, trackers: [] };
  expect(settingsWithoutEffect({ ...recipe, train })).toEqual(["evaluation", "train.stopWhen"]);
});
