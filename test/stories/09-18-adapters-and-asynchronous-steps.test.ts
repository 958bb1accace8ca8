/**
 * Stories 9 and 18: a policy is trained with adapters while the next steps are sampled, and its processes are killed. Only
 * the adapters are transferred and stored, evaluations rate its checkpoints during training, and a later run starts from
 * the result.
 */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "@palimpsest/evals";
import { hashWeights, loadModel } from "@palimpsest/model";
import { checkpointsOfRun, readRunModel } from "@palimpsest/trainer";
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
/** The run with adapters. */
let run: TrainingRun;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = await cluster.recipeFolder("async");
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const lora = {
  lora: { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"] },
  schedule: { learningRate: 0.05 },
};

function recipe(name: string, train: object, more: object = {}, learner: object = {}): string {
  return writeRecipe(folder, {
    name,
    rolloutActors: 1,
    learner: { importance: { kind: "tis-token", cap: 2 }, ...learner },
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

const hashOf = async (path: string) => hashWeights((await loadModel(path)).parameters);

test("a rollout actor and the learner are killed: every group is trained once, none too stale, each evaluation of its step (T1, T2)", async () => {
  const evaluation = {
    tasks: 4,
    lengths: [1, 2],
    samples: 2,
    everySteps: 2,
    source: { ...guessingRuler, sentences: 8 },
  };
  run = TrainingRun.start(
    cluster,
    recipe("waits", { checkpointEverySteps: 2 }, { evaluation }, lora),
    join(cluster.dir, "waits"),
  );
  await untilStep(run, 1);
  await kill("rollout");
  await untilStep(run, 3);
  await kill("learner");
  await expectWholeRun(run, size);
  await expectStepsAddUp(run, size);
  // Two steps were sampled before the first was trained.
  expect(staleness(run).slice(0, 2)).toEqual([0, 1]);
  expect(Math.max(...staleness(run))).toBeLessThanOrEqual(maxStaleness);
});

test("adapters alone were published and kept, every version was evaluated once, and another run starts from the merged model (EVALUATING-1)", async () => {
  const base = (await loadModel(join(folder, "base"))).parameters;
  const end = await run.end();
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

  // Every version that is to be was evaluated once, with two answers to each question, although rollout actor and learner were killed in between.
  const evaluated = readdirSync(join(run.folder, "evaluations")).sort();
  expect(evaluated).toEqual([2, 4, 6].map((step) => `step-0000000${step}.json`));
  const ratings = JSON.parse(readFileSync(join(checkpoints, "ratings.json"), "utf8")) as Record<
    string,
    number
  >;
  expect(Object.keys(ratings)).toEqual(["0", "2", "4", "6"]);
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
  const second = writeRecipe(folder, { name: "second", steps: 1, groupsPerStep: 2, rolloutActors: 1, more });
  const next = TrainingRun.start(cluster, second, join(cluster.dir, "next"));
  const nextEnd = await next.end();
  expect(nextEnd.code, nextEnd.stdout + nextEnd.stderr).toBe(0);
  expect(await hashOf(join(next.folder, "start"))).toBe(trained);
  expect(await hashOf(join(next.folder, "model"))).not.toBe(trained);
});

test("the driver is killed with a window of groups in flight: the next one goes on with them, and trains none twice, nor what teaches nothing (SCHEDULE-4, STEP-7)", async () => {
  const file = recipe("refills", { staleGroups: "refill", zeroVarianceRefills: 4 });
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
