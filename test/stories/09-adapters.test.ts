/**
 * Story 9: a policy is trained with adapters. Only the adapters are transferred and stored, evaluations rate its
 * checkpoints during training, and a later run starts from the result.
 */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "@palimpsest/evals";
import { hashWeights, loadModel } from "@palimpsest/model";
import { checkpointsOfRun, readRunModel } from "@palimpsest/trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guessingRuler } from "../support/guessing-base.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";

const size = { steps: 3, groupsPerStep: 2, rolloutActors: 1 };
const lora = { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"] };

let cluster: TestCluster;
let folder: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = await cluster.recipeFolder("adapters");
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const hashOf = async (path: string) => hashWeights((await loadModel(path)).parameters);

test("adapters alone are published and kept, a killed learner goes on from them, another run starts from the merged model, and every version is evaluated once (EVALUATING-1)", async () => {
  const evaluation = {
    tasks: 4,
    lengths: [1, 2],
    samples: 2,
    everySteps: 1,
    source: { ...guessingRuler, sentences: 8 },
  };
  const recipe = writeRecipe(folder, {
    ...size,
    learner: { lora, schedule: { learningRate: 0.05 } },
    more: { evaluation },
  });
  const run = TrainingRun.start(cluster, recipe, join(cluster.dir, "lora"));
  await run.untilStep(1);
  const [learner] = await cluster.actors("learner");
  if (!learner) throw new Error("no learner is alive");
  process.kill(learner.pid, "SIGKILL");
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);

  const base = (await loadModel(join(folder, "base"))).parameters;
  const baseBytes = Object.values(base).reduce((sum, { byteLength }) => sum + byteLength, 0);
  for (const { publishedBytes } of run.steps) {
    expect(publishedBytes).toBeGreaterThan(0);
    expect(publishedBytes).toBeLessThan(baseBytes / 4);
  }
  const checkpoints = join(run.folder, "checkpoints");
  const newest = join(
    checkpoints,
    readdirSync(checkpoints)
      .filter((name) => name.startsWith("policy-"))
      .sort()
      .at(-1) ?? "",
  );
  const { tensors } = JSON.parse(readFileSync(join(newest, "checkpoint.json"), "utf8")) as {
    readonly tensors: readonly { readonly name: string }[];
  };
  expect(tensors.every(({ name }) => /\.lora[AB]$/.test(name))).toBe(true);

  // Every version was evaluated once, with two answers to each question, although the learner was killed in between.
  const evaluated = readdirSync(join(run.folder, "evaluations")).sort();
  expect(evaluated).toEqual([1, 2, 3].map((step) => `step-0000000${step}.json`));
  const ratings = JSON.parse(readFileSync(join(checkpoints, "ratings.json"), "utf8")) as Record<
    string,
    number
  >;
  expect(Object.keys(ratings)).toEqual(["0", "1", "2", "3"]);
  for (const name of evaluated) {
    const { lengths } = JSON.parse(readFileSync(join(run.folder, "evaluations", name), "utf8")) as Evaluation;
    expect(lengths.map(({ n, samples, failures }) => [n, samples, failures])).toEqual([
      [4, 2, 0],
      [4, 2, 0],
    ]);
  }
  const highest = Math.max(...Object.values(ratings));
  const [best] = await checkpointsOfRun(run.folder, "best");
  expect(best?.metric).toBe(highest);
  expect(ratings[best?.policyVersion ?? -1]).toBe(highest);
  expect(end.stdout).toMatch(/evaluated step 2 {2}meanReward 0\.\d{3}/);

  const trained = await hashOf(join(run.folder, "model"));
  expect(trained).not.toBe(hashWeights(base));
  const cacheDir = mkdtempSync(join(cluster.dir, "cache-"));
  expect(hashWeights((await readRunModel(run.folder, { cacheDir })).parameters)).toBe(trained);

  const more = { model: { checkpoint: run.folder } };
  const second = writeRecipe(folder, { ...size, name: "second", steps: 1, more });
  const next = TrainingRun.start(cluster, second, join(cluster.dir, "next"));
  const nextEnd = await next.end();
  expect(nextEnd.code, nextEnd.stdout + nextEnd.stderr).toBe(0);
  expect(await hashOf(join(next.folder, "start"))).toBe(trained);
  expect(await hashOf(join(next.folder, "model"))).not.toBe(trained);
});
