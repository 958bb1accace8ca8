/** Story 17: a policy is trained while engines sample; one of them is killed in the middle and started again. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Command } from "../support/command.js";
import { groupSize, quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { GivenUp, until } from "../support/until.js";

let cluster: TestCluster;
let folder: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = await cluster.recipeFolder("engines");
});

const engines: Command[] = [];

afterAll(async () => {
  for (const engine of engines) if (engine.running) engine.kill("SIGKILL");
  await Promise.all(engines.map(({ ended }) => ended));
  expect(await cluster?.stop()).toEqual([]);
});

/** Runs `palimpsest serve` on a port. It speaks vLLM's protocol, including the loading of weights. */
async function serve(port: string): Promise<{ readonly engine: Command; readonly url: string }> {
  const flags = ["--port", port, "--weights-from", folder, "--backend", "cpu"];
  const engine = cluster.start(["serve", join(folder, "base"), ...flags]);
  engines.push(engine);
  const look = () => {
    if (!engine.running) throw new GivenUp(`the engine ended: ${engine.output}`);
    return /serves {3}(\S+)\/v1/.exec(engine.output)?.[1];
  };
  const url = await until("the engine serves", look, { explain: () => engine.output });
  return { engine, url };
}

const steps = 3;
const groupsPerStep = 4;

test("an engine that is killed costs nothing: its episodes go to the other (ENGINE-3), and it is taken back with the right weights (ENGINE-2)", async () => {
  const [one, two] = await Promise.all([serve("0"), serve("0")]);
  const recipe = writeRecipe(folder, {
    name: "engines",
    steps,
    groupsPerStep,
    more: {
      rollout: {
        engine: {
          kind: "vllm",
          addresses: [one.url, two.url],
          weightsDir: join(folder, "weights"),
        },
        concurrency: 4,
        maxTokens: 64,
      },
      queues: quickTakeOver,
    },
  });
  const run = TrainingRun.start(cluster, recipe, join(folder, "run"));
  await run.untilStep(1);
  one.engine.kill("SIGKILL");
  // Only the other engine can have sampled this step.
  await run.untilStep(2);
  two.engine.kill("SIGKILL");
  await one.engine.ended;
  // From here on only this engine samples; its process started with the base model.
  await serve(new URL(one.url).port);
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);

  const trained = steps * groupsPerStep;
  expect(run.steps).toHaveLength(steps);
  expect(run.steps.at(-1)).toMatchObject({
    groupsDispatched: trained,
    groupsTrained: trained,
    groupsFailed: 0,
  });
  for (const { update } of run.steps) {
    expect(update.trajectories).toBe(groupsPerStep * groupSize);
    // The engine has the learner's weights in bfloat16. With other weights, the difference would be several nats.
    expect(update.freshLogprobDifferenceMean).toBeLessThan(5e-3);
    expect(update.importanceMean).toBeCloseTo(1, 2);
  }
});
