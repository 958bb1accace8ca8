/** Story 18: in this run the next steps are sampled while the learner updates, and its processes are killed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guessingRuler } from "../support/guessing-base.js";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";
import { expectStepsAddUp, expectWholeRun } from "../support/whole-run.js";

const size = { steps: 6, groupsPerStep: 4 };
const maxStaleness = 2;

let cluster: TestCluster;
let folder: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = await cluster.recipeFolder("async");
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

function recipe(name: string, train: object, more: object = {}, rolloutActors = 2): string {
  return writeRecipe(folder, {
    name,
    rolloutActors,
    learner: { importance: { kind: "tis-token", cap: 2 } },
    more: { queues: quickTakeOver, train: { ...size, maxStaleness, ...train }, ...more },
  });
}

async function kill(role: string): Promise<void> {
  const [actor] = await cluster.actors(role);
  if (!actor) throw new Error(`no ${role} actor is alive`);
  process.kill(actor.pid, "SIGKILL");
}

/** Waits longer than `untilStep`, for busy machines. */
const untilStep = (run: TrainingRun, step: number) =>
  run.until(`step ${step}`, () => run.steps.some((report) => report.step >= step));

const staleness = (run: TrainingRun) => run.steps.map(({ update }) => update.stalenessMax);

test("a rollout actor and the learner are killed: every group is trained once, none too stale, each evaluation of its step (T1, T2)", async () => {
  const evaluation = { tasks: 4, lengths: [1], everySteps: 2, source: { ...guessingRuler, sentences: 8 } };
  const run = TrainingRun.start(
    cluster,
    recipe("waits", { checkpointEverySteps: 2 }, { evaluation }),
    join(cluster.dir, "waits"),
  );
  await untilStep(run, 1);
  await kill("rollout");
  await untilStep(run, 3);
  await kill("learner");
  await run.end();
  await expectWholeRun(run, size);
  await expectStepsAddUp(run, size);
  // Two steps were sampled before the first was trained.
  expect(staleness(run).slice(0, 2)).toEqual([0, 1]);
  expect(Math.max(...staleness(run))).toBeLessThanOrEqual(maxStaleness);
  expect(readdirSync(join(run.folder, "evaluations")).sort()).toEqual(
    [2, 4, 6].map((step) => `step-${String(step).padStart(8, "0")}.json`),
  );
});

test("the driver is killed with a window of groups in flight: the next one goes on with them, and trains none twice, nor what teaches nothing (SCHEDULE-4, STEP-7)", async () => {
  const file = recipe("refills", { staleGroups: "refill", zeroVarianceRefills: 4 }, {}, 1);
  const start = () => TrainingRun.start(cluster, file, join(cluster.dir, "refills"));
  const first = start();
  await untilStep(first, 2);
  first.driver.kill("SIGKILL");
  await first.driver.ended;
  const run = start();
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);
  await expectStepsAddUp(run, size);
  expect(Math.max(...staleness(run))).toBeLessThanOrEqual(maxStaleness);
  const { groups, episodes } = await run.withQueues((queues) => queues.ledger.counts());
  expect(groups).toMatchObject({ outstanding: 0, trained: size.steps * size.groupsPerStep });
  expect(groups.dispatched).toBe(groups.trained + groups.failed);
  expect(episodes.dispatched).toBe(episodes.trained + episodes.failed + episodes.dropped);
  const rejected = run.steps.reduce((sum, step) => sum + (step.rejected?.groups ?? 0), 0);
  const reasons = Object.values(await run.withQueues((queues) => queues.ledger.failedGroups()));
  expect(reasons.filter((reason) => reason === "ZERO_VARIANCE")).toHaveLength(rejected);
  expect(rejected).toBeGreaterThan(0);
  expect(run.steps.map(({ update }) => update.zeroVarianceFraction)).toEqual(
    Array.from({ length: size.steps }, () => 0),
  );
  await until("no actor is left", async () => (await cluster.client.actors()).length === 0);
});
