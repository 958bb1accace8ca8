/**
 * INPROCESS-1, T6: with `rollout.batchInvariant` the trained weights do not depend on which actor sampled what, in
 * which batch, and which one was faster. A single process, and three rollout actors of which one is killed in the
 * middle, end with the same bits. The importance ratios use the sampler's own log-probs, so that every rounding of the
 * sampler reaches the weights. Groups without reward variance are replaced by others.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { expectWholeRun } from "../support/whole-run.js";

const size = { steps: 3, groupsPerStep: 4, refilled: true };

let cluster: TestCluster;
let folder: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = await cluster.recipeFolder("order-proof");
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** @param concurrency episodes that one actor runs at once, which decides how many share a batch, and which ones */
function recipeOf(actors: number, concurrency: number): string {
  return writeRecipe(folder, {
    name: `actors-${actors}`,
    learner: { miniBatches: 2, oldLogprobs: "rollout" },
    more: {
      rollout: {
        ...{ actors, concurrency, maxBatch: 16, maxTokens: 64, stepsPerCall: 2 },
        ...{ cpus: 0.1, batchInvariant: true },
      },
      // The single process uses the learner's threads for both.
      learnerThreads: 1,
      queues: quickTakeOver,
      // Which groups are replaced follows from the rewards alone, too (SCHEDULE-5).
      train: { steps: size.steps, groupsPerStep: size.groupsPerStep, zeroVarianceRefills: 2 },
    },
  });
}

test("in one process, and with three rollout actors of which one is killed: the same weights", async () => {
  const report = join(cluster.dir, "in-process.json");
  const alone = await cluster.run(["train", "--in-process", recipeOf(1, 16), "--report", report]);
  expect(alone.code, alone.stdout + alone.stderr).toBe(0);
  const { weightsHash } = JSON.parse(readFileSync(report, "utf8")) as { readonly weightsHash: string };

  const run = TrainingRun.start(cluster, recipeOf(3, 3), join(cluster.dir, "three"));
  await run.untilStep(1);
  const [victim] = await cluster.actors("rollout");
  if (!victim) throw new Error("no rollout actor is alive");
  process.kill(victim.pid, "SIGKILL");
  expect(await expectWholeRun(run, size)).toBe(weightsHash);
  // Some groups must have been rejected, or the test would say nothing about them.
  expect(run.steps.reduce((sum, { rejected }) => sum + (rejected?.groups ?? 0), 0)).toBeGreaterThan(0);
});
