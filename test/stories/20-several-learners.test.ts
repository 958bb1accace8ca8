/**
 * Tests learners that train one model together on two nodes: one of them is killed during a step, and the run
 * continues.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { expectStepsAddUp, expectWholeRun } from "../support/whole-run.js";

const size = { steps: 2, groupsPerStep: 2 };

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

async function start(
  name: string,
  learnerActors: number,
  args: readonly string[] = [],
): Promise<TrainingRun> {
  const folder = await cluster.recipeFolder(name);
  const recipe = writeRecipe(folder, {
    ...size,
    rolloutActors: 1,
    // There are several micro-batches per step.
    learner: { buckets: [{ rows: 8, length: 64 }] },
    // A node has room for one learner.
    more: { queues: quickTakeOver, learnerActors, learnerCpus: 2.5, learnerThreads: 1 },
  });
  return TrainingRun.start(cluster, recipe, join(folder, "run"), args);
}

test("two learners train as one does; one that is killed in a step takes all back to the last checkpoint, and no group is trained twice (RANKS-1)", async () => {
  const run = await start("two", 2);
  await run.until("the first step", () => run.steps.length > 0);
  const [[first], [second]] = [await cluster.actors("learner"), await cluster.actors("learner-rank")];
  if (!first || !second) throw new Error("there are not two learners");
  expect(first.nodeId).not.toBe(second.nodeId);
  // The stopped learner does not answer while the other one is in the step, whose batch is in its dump.
  process.kill(second.pid, "SIGSTOP");
  await run.until("the second step", () => existsSync(join(run.folder, "dumps", "step-00000002.pb")));
  process.kill(second.pid, "SIGKILL");
  await expectWholeRun(run, size);
  await expectStepsAddUp(run, size);
  expect(isAlive(second.pid)).toBe(false);
  expect(run.driver.output).toMatch(/step 2 is run again from the last checkpoint: .*2 learners/);
  const [report] = run.steps;
  expect(report?.update.microBatches).toBeGreaterThan(1);
  expect(report?.exchange?.sentBytes).toBeGreaterThan(0);

  const alone = await start("one", 1, ["--steps", "1"]);
  await alone.until("the first step", () => alone.steps.length > 0);
  await expectWholeRun(alone, { ...size, steps: 1 });
  expect(alone.steps[0]?.exchange).toBeUndefined();
  for (const measure of ["loss", "gradientNorm", "rewardMean", "klK3"] as const)
    expect(report?.update[measure], measure).toBeCloseTo(alone.steps[0]?.update[measure] ?? Number.NaN, 5);
  for (const measure of ["tokens", "rows", "microBatches", "paddingFraction"] as const)
    expect(report?.update[measure], measure).toBe(alone.steps[0]?.update[measure]);
});
