/**
 * Tests learners that train one model together on two nodes: one of them is killed during a step, and the run
 * continues. A run of one learner, with which theirs is compared, loses nothing when the node of its learner is drained.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StepReport } from "@palimpsest/trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { expectStepsAddUp, expectWholeRun } from "../support/whole-run.js";

const size = { steps: 2, groupsPerStep: 2 };
/** As many steps that the run is still under way when the drain has moved its actors. */
const drainedSize = { ...size, steps: 6 };

let cluster: TestCluster;
/** The first step of two learners. */
let together: StepReport | undefined;

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

test("two learners train one model; one that is killed in a step takes all back to the last checkpoint, and no group is trained twice (RANKS-1)", async () => {
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
  [together] = run.steps;
  expect(together?.update.microBatches).toBeGreaterThan(1);
  expect(together?.exchange?.sentBytes).toBeGreaterThan(0);
});

test("one learner's node is drained in the middle of a run, which trains every group once; its first step is that of two", async () => {
  const run = await start("one", 1, ["--steps", String(drainedSize.steps)]);
  await run.untilStep(1);
  const [learner] = await cluster.actors("learner");
  const nodeId = learner?.nodeId ?? "";
  const drain = await cluster.run(["drain", nodeId, "--deadline", "200"]);
  expect(drain.code, drain.stderr).toBe(0);
  expect(drain.stdout).toContain(`node ${nodeId} is drained and has left`);
  expect(drain.stderr).toMatch(/moving elsewhere|only on this node|nothing/);
  await expectWholeRun(run, drainedSize);
  const learners = await cluster.client.actors({ role: "learner", includeDead: true });
  const moved = learners.find(({ actorId }) => actorId === learner?.actorId);
  expect(moved?.incarnation).toBeGreaterThan(1);
  expect(moved?.nodeId).not.toBe(nodeId);

  const [alone] = run.steps;
  expect(alone?.exchange).toBeUndefined();
  for (const measure of ["loss", "gradientNorm", "rewardMean", "klK3"] as const)
    expect(together?.update[measure], measure).toBeCloseTo(alone?.update[measure] ?? Number.NaN, 5);
  for (const measure of ["tokens", "rows", "microBatches", "paddingFraction"] as const)
    expect(together?.update[measure], measure).toBe(alone?.update[measure]);
});
