import { smallConfig } from "@palimpsest/model/testing";
import { expect, test } from "vitest";
import { parseRecipe } from "../recipe/recipe.js";
import type { StepReport } from "../records/event.js";
import { type HeldFigure, heldPlan, heldText, type PlannedRun } from "./held-plan.js";
import { runMemory } from "./run-memory.js";

const model = smallConfig({ vocabSize: 300, tieWordEmbeddings: true, maxPositions: 512 });

function recipe({ gpus = 0, learnerGpus = 0, actors = 2, maxStaleness = 0 } = {}) {
  return parseRecipe(
    `
name: held
model: { path: somewhere }
agent: { preset: tiny }
data: { source: ruler, ruler: { count: 8, sentences: 8, names: 6, values: 6 } }
rollout: { actors: ${actors}, maxTokens: 400, gpus: ${gpus} }
learner: { groupSize: 4, buckets: [{ rows: 2, length: 400 }] }
learnerGpus: ${learnerGpus}
train: { steps: 4, groupsPerStep: 2, maxStaleness: ${maxStaleness} }
`,
    "/recipes",
  );
}

const seconds = {
  ...{ sampling: 1.75, loading: 0.25, update: 1, exchange: 0, publishing: 0.5, checkpoint: 0.5 },
  ...{ evaluation: 1, total: 5 },
};
const planned = (of = recipe()): PlannedRun => ({
  needs: runMemory(of, model),
  time: { expected: seconds, atMost: seconds, expectedTotalSeconds: 16, totalSeconds: 16 },
});

/** A step whose checkpoint and publication together took a second. */
const step = (number: number, rolloutSeconds: number, updateSeconds: number, besideSeconds = 0) =>
  ({
    step: number,
    rolloutSeconds: rolloutSeconds + besideSeconds,
    learnerWaitSeconds: rolloutSeconds,
    updateSeconds,
    checkpointSeconds: 0.75,
    publishSeconds: 0.25,
  }) as StepReport;

const memory = (gib: number, gpuGib?: number) => ({
  peakRssBytes: gib * 2 ** 30,
  ...(gpuGib === undefined ? {} : { gpuUsedBytes: gpuGib * 2 ** 30 }),
});

const find = (figures: readonly HeldFigure[], what: string) => figures.find((one) => one.what === what);

test("seconds are means of the steps after the first, without checkpoint and publication", () => {
  const steps = [step(1, 60, 90), step(2, 3, 4), step(3, 5, 2), step(4, 1, 3, 7)];
  const held = heldPlan(recipe(), planned(), { steps, learner: memory(1), rollouts: [memory(2), memory(3)] });
  // What began beside an evaluation was not waited for from its beginning.
  expect(find(held, "rollouts of a step")).toEqual({
    what: "rollouts of a step",
    unit: "seconds",
    planned: 2,
    measured: 4,
    ratio: 2,
    note: "mean of 2 steps",
  });
  expect(find(held, "update of a step")).toMatchObject({ planned: 1, measured: 3, ratio: 3 });
  expect(find(held, "publication of a step")).toMatchObject({ planned: 0.5, measured: 0.25 });
  expect(find(held, "checkpoints of a step")).toMatchObject({ planned: 0.5, note: "mean of 4 steps" });
  // A step's evaluation is not in it.
  expect(find(held, "a step")).toMatchObject({ planned: 4, measured: 7 });
});

test("the first step counts where it is alone, and it is said that it compiled", () => {
  const [rollouts] = heldPlan(recipe(), planned(), {
    steps: [step(1, 6, 2)],
    learner: memory(1),
    rollouts: [],
  });
  expect(rollouts).toMatchObject({ measured: 6, note: "one step, including compilation" });
  const [none] = heldPlan(recipe(), planned(), { steps: [], learner: memory(1), rollouts: [] });
  expect(none).toMatchObject({ measured: null, ratio: null, note: expect.stringContaining("not measured") });
});

test("memory is each process's highest resident set beside the plan's; who did not answer is counted", () => {
  const own = planned();
  const held = heldPlan(recipe(), own, { steps: [], learner: memory(1), rollouts: [memory(2)] });
  expect(find(held, "learner")).toMatchObject({
    planned: own.needs.learnerBytes,
    measured: 2 ** 30,
    ratio: 2 ** 30 / own.needs.learnerBytes,
  });
  expect(find(held, "a rollout actor")).toMatchObject({
    planned: own.needs.rolloutBytes,
    measured: 2 * 2 ** 30,
    note: "highest resident set; 1 of 2 did not answer",
  });
  const silent = heldPlan(recipe(), own, { steps: [], learner: undefined, rollouts: [] });
  expect(find(silent, "learner")).toMatchObject({
    measured: null,
    note: expect.stringMatching(/^not measured/),
  });
});

test("a GPU that learner and rollout actors share is planned for all that are on it", () => {
  const shared = recipe({ gpus: 0.25, learnerGpus: 0.5, actors: 2 });
  const own = planned(shared);
  const held = heldPlan(shared, own, {
    steps: [],
    learner: memory(1, 3),
    rollouts: [memory(1, 3), memory(1, 3)],
  });
  const expected = own.needs.learnerDeviceBytes + 2 * own.needs.rolloutDeviceBytes;
  expect(find(held, "the learner's GPU, with 2 of the rollout actors")).toMatchObject({
    planned: expected,
    measured: 3 * 2 ** 30,
    ratio: (3 * 2 ** 30) / expected,
  });
  expect(held.filter(({ what }) => what.startsWith("a GPU"))).toEqual([]);
  const apart = recipe({ gpus: 0.5, learnerGpus: 1, actors: 2 });
  const ofApart = heldPlan(apart, planned(apart), {
    steps: [],
    learner: memory(1),
    rollouts: [memory(1, 2)],
  });
  expect(find(ofApart, "a GPU of 2 rollout actors")).toMatchObject({ measured: 2 * 2 ** 30 });
  expect(find(ofApart, "the learner's GPU")).toMatchObject({
    measured: null,
    note: expect.stringContaining("nvidia-smi"),
  });
});

test("what runs ahead has no seconds of its own, and a run without a plan says why", () => {
  const ahead = recipe({ maxStaleness: 1 });
  const [rollouts, update] = heldPlan(ahead, "the agent refused", {
    steps: [step(1, 6, 2), step(2, 1, 2)],
    learner: memory(1),
    rollouts: [],
  });
  expect(rollouts).toMatchObject({ planned: null, measured: null });
  expect(rollouts?.note).toMatch(/^not planned: the agent refused; not measured: .*maxStaleness/);
  expect(heldText(update as HeldFigure)).toBe(
    "planned –, measured 2 s (not planned: the agent refused; one step)",
  );
});
