/** Tests that a run loses nothing when the node of its learner is drained. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { expectWholeRun } from "../support/whole-run.js";

/** As many steps that the run is still under way when the drain has moved its actors. */
const size = { steps: 10, groupsPerStep: 4 };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

test("the node of the learner is drained in the middle of a run, which trains every group once", async () => {
  const folder = await cluster.recipeFolder("drain");
  const recipe = writeRecipe(folder, {
    name: "drained",
    more: {
      rollout: { actors: 1, concurrency: 4, maxBatch: 8, maxTokens: 64, cpus: 0.1 },
      learnerThreads: 1,
      queues: quickTakeOver,
      train: { steps: size.steps, groupsPerStep: size.groupsPerStep },
    },
  });
  const run = TrainingRun.start(cluster, recipe, join(cluster.dir, "drained"));
  await run.untilStep(1);
  const [learner] = await cluster.actors("learner");
  const nodeId = learner?.nodeId ?? "";
  const drain = await cluster.run(["drain", nodeId, "--deadline", "200"]);
  expect(drain.code, drain.stderr).toBe(0);
  expect(drain.stdout).toContain(`node ${nodeId} is drained and has left`);
  expect(drain.stderr).toMatch(/moving elsewhere|only on this node|nothing/);
  await expectWholeRun(run, size);
  const [moved] = await cluster.client.actors({ role: "learner", includeDead: true });
  expect(moved?.incarnation).toBeGreaterThan(1);
  expect(moved?.nodeId).not.toBe(nodeId);
});
