/** A run whose samplers keep matrices in bfloat16: whole weights travel so, and everything else keeps float32. */
import { join } from "node:path";
import { roundToHalf } from "@palimpsest/jit";
import { hashWeights, isPublishedHalf, loadModel, parameterShapes } from "@palimpsest/model";
import * as proto from "@palimpsest/wire/protocol";
import { expect, onTestFinished, test } from "vitest";
import { writeRecipe } from "./support/recipe.js";
import { TestCluster } from "./support/test-cluster.js";
import { TrainingRun } from "./support/training-run.js";
import { expectWholeRun } from "./support/whole-run.js";

test("weights travel in bfloat16, the trained model is float32, and steps are repeated bit for bit", async () => {
  const cluster = await TestCluster.start();
  onTestFinished(async () => void (await cluster.stop()));
  const folder = await cluster.recipeFolder("half");
  const rollout = { actors: 2, concurrency: 16, maxBatch: 16, maxTokens: 64, stepsPerCall: 2 };
  const recipe = writeRecipe(folder, {
    name: "half",
    more: {
      rollout: { ...rollout, precision: "bfloat16" },
      train: { steps: 3, groupsPerStep: 4, checkpointEverySteps: 3, keepStepDumps: 3 },
    },
  });
  const run = TrainingRun.start(cluster, recipe, join(folder, "run"));
  await run.untilStep(1);
  // The next learner repeats the step from the first checkpoint, and ends the run if the hash is another.
  const [learner] = await cluster.actors("learner");
  if (learner === undefined) throw new Error("there is no learner");
  process.kill(learner.pid, "SIGKILL");
  await expectWholeRun(run, { steps: 3, groupsPerStep: 4 });
  const announced = await run.withQueues((queues) => queues.currentWeights());
  const manifest = proto.WeightManifest.decode(announced ?? new Uint8Array());
  const { config, parameters } = await loadModel(join(run.folder, "model"));
  const shapes = parameterShapes(config);
  const isHalf = (name: string) => isPublishedHalf(name, shapes[name] ?? []);
  expect(manifest.tensors.map(({ name, dtype }) => [name, dtype])).toEqual(
    Object.keys(shapes)
      .sort()
      .map((name) => [name, isHalf(name) ? "bfloat16" : "float32"]),
  );
  const rounded = Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [name, isHalf(name) ? roundToHalf(values) : values]),
  );
  expect(manifest.weightsHash).toBe(hashWeights(rounded));
  expect(run.steps.at(-1)?.weightsHash).toBe(manifest.weightsHash);
  // The model that was saved has more bits than what was sampled from.
  const low = new Uint16Array(parameters["embedding"]?.buffer.slice(0) ?? new ArrayBuffer(0));
  expect(low.some((bits, at) => at % 2 === 0 && bits !== 0)).toBe(true);
  const replayed = await cluster.run(["train", "replay", "--run", run.folder, "--step", "2"]);
  expect(replayed.code, replayed.stdout + replayed.stderr).toBe(0);
});
