/** Story 9: a policy trained with adapters: they alone travel and are kept, and a later run starts from what they made. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashWeights, loadModel } from "@palimpsest/model";
import { readRunModel } from "@palimpsest/trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
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
}, 120_000);

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const hashOf = async (path: string) => hashWeights((await loadModel(path)).parameters);

test("adapters alone are published and kept, a killed learner goes on from them, another run starts from the merged model", async () => {
  const recipe = writeRecipe(folder, { ...size, learner: { lora, schedule: { learningRate: 0.05 } } });
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
  const newest = join(checkpoints, readdirSync(checkpoints).sort().at(-1) ?? "");
  const { tensors } = JSON.parse(readFileSync(join(newest, "checkpoint.json"), "utf8")) as {
    readonly tensors: readonly { readonly name: string }[];
  };
  expect(tensors.every(({ name }) => /\.lora[AB]$/.test(name))).toBe(true);

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
}, 240_000);
