/**
 * Tests two training runs whose processes are killed one after the other, each while it has work in progress, and whose
 * disk fills. Both have the same recipe and seed as an undisturbed one, and must end with the same weights, bit for bit:
 * what was lost was done again, and nothing was done twice (T1, T6). Most time goes to starting a run, so each test
 * leaves its run to the next one, with a stopped driver.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ActorInfo } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { quickTakeOver, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";
import { expectStepsAddUp, expectWholeRun } from "../support/whole-run.js";

const size = { steps: 8, groupsPerStep: 4 };

let cluster: TestCluster;
let recipe: string;
/** The same recipe with one rollout actor, for tests in which a second one would only add its start-up time. */
let narrow: string;
let undisturbed: string;
/** The run of one rollout actor, and its folder, which may be a disk of its own. */
let narrowRun: TrainingRun | undefined;
let narrowFolder: string;
let disks: readonly string[] = [];
/** The run of two rollout actors. */
let wideRun: TrainingRun | undefined;

beforeAll(async () => {
  cluster = await TestCluster.start();
  const folder = await cluster.recipeFolder("chaos");
  const settings = {
    ...size,
    // There are several optimizer steps per update, each with ratios to the learner's own log-probs (T6).
    learner: { miniBatches: 2, oldLogprobs: "recompute" },
    more: { queues: quickTakeOver },
  };
  recipe = writeRecipe(folder, settings);
  narrow = writeRecipe(folder, { ...settings, name: "narrow", rolloutActors: 1 });
  narrowFolder = join(cluster.dir, "narrow");
  // The reference runs in one process, undisturbed.
  const { code, stdout, stderr } = await cluster.run(["train", recipe, "--in-process"]);
  expect(code, stdout + stderr).toBe(0);
  undisturbed = /^weights +([0-9a-f]{64})$/m.exec(stdout)?.[1] ?? "";
});

afterAll(async () => {
  for (const disk of disks) spawnSync("umount", ["-l", disk]);
  expect(await cluster?.stop()).toEqual([]);
});

const startNarrow = () => TrainingRun.start(cluster, narrow, narrowFolder);

/**
 * Returns the run that the test before has left, if it has that many steps to go: beside a load it may have gone on too far
 * before it was stopped. Another one otherwise.
 */
async function goOnWith(
  left: TrainingRun | undefined,
  stepsToGo: number,
  another: () => TrainingRun,
): Promise<TrainingRun> {
  if (left !== undefined && left.steps.length <= size.steps - stepsToGo) {
    left.driver.kill("SIGCONT");
    return left;
  }
  left?.driver.kill("SIGKILL");
  const alive = async () => (await cluster.client.actors()).filter(({ state }) => state === "alive");
  await until("its actors have ended", async () => (await alive()).length === 0);
  return another();
}

const startWide = (name = "wide") => TrainingRun.start(cluster, recipe, join(cluster.dir, name));

/** Stops the driver, because the run must not end before the next test. */
function leave(run: TrainingRun): TrainingRun {
  run.driver.kill("SIGSTOP");
  return run;
}

/** Waits until jobs of that queue are in progress after a step. */
async function untilBusy(run: TrainingRun, step: number, queue: "rollouts" | "rewards"): Promise<void> {
  await run.untilStep(step);
  await run.until(`work in ${queue}`, async () => {
    const depth = (await cluster.client.queues()).find(({ name }) => name === `${run.runId}/${queue}`);
    return (depth?.active ?? 0) > 0;
  });
}

async function killActor(role: string): Promise<{ readonly actorId: string; readonly pid: number }> {
  const [actor] = await cluster.actors(role);
  if (!actor) throw new Error(`no ${role} actor is alive`);
  process.kill(actor.pid, "SIGKILL");
  return actor;
}

async function untilBack(run: TrainingRun, actorId: string, incarnation = 2): Promise<void> {
  await run.until("the actor is back", async () => {
    const actor = (await cluster.client.actors()).find((candidate) => candidate.actorId === actorId);
    return actor?.state === "alive" && actor.incarnation === incarnation;
  });
}

/** Mounts a disk of this many KiB, or gives a mounted one that size. Returns false where this user may not mount one. */
function mountDisk(folder: string, kib: number, remount: "remount," | "" = ""): boolean {
  mkdirSync(folder, { recursive: true });
  return spawnSync("mount", ["-t", "tmpfs", "-o", `${remount}size=${kib}k`, "tmpfs", folder]).status === 0;
}

test("the run's disk and that of its traces are full: traces are dropped and counted, all else waits and nothing is lost", async (context) => {
  const traces = join(narrowFolder, "traces");
  // The first checkpoint of 264 KiB fits, and the next one does not: the run itself fills the disk with one of its first
  // steps, however fast it is.
  if (!mountDisk(narrowFolder, 320)) {
    process.stderr.write("skipped: a run on a full disk, since this user may not mount a tmpfs\n");
    context.skip();
  }
  disks = [narrowFolder];
  expect(mountDisk(traces, 4)).toBe(true);
  disks = [traces, narrowFolder];
  const run = startNarrow();
  const learner = await run.until("the learner is alive", async () => (await cluster.actors("learner"))[0]);
  // The driver's output and the actor's log both name the full folder.
  await run.until("the driver says so", () =>
    run.driver.output.includes(`the disk of ${narrowFolder} is full`),
  );
  await run.until("the learner says so", async () => {
    const { stdout } = await cluster.run(["logs", learner.actorId]);
    return stdout.includes(`the disk of ${narrowFolder} is full: the step waits for space`);
  });
  const stepsBefore = run.steps.length;
  expect(stepsBefore).toBeLessThan(size.steps - 4);
  expect(mountDisk(narrowFolder, 96 * 1024, "remount,")).toBe(true);
  await run.untilStep(stepsBefore + 1);
  narrowRun = leave(run);
  const reader = readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
  const droppedTraces = async () => {
    const page = await fetch(`http://${learner.metricsAddress}/metrics`, {
      headers: { authorization: `Bearer ${reader}` },
    });
    const metric = /^palimpsest_learner_records_dropped_total\{kind="traces".*\} (\d+)$/m;
    return Number(metric.exec(await page.text())?.[1] ?? 0);
  };
  await expect.poll(droppedTraces).toBeGreaterThanOrEqual(1);
  expect(run.steps.map(({ step }) => step)).toEqual(Array.from(run.steps, (_, at) => at + 1));
});

// This also tests TRAIN-1, TRAIN-2 and TRAIN-3: the step is dispatched and requested again, with the same tasks and
// seeds.
test("T6: the driver is killed, then every process at once: what is started again on the same folders ends with the same weights", async () => {
  const run = await goOnWith(narrowRun, 4, startNarrow);
  await untilBusy(run, 2, "rollouts");
  const spawned = await cluster.client.actors();
  expect(spawned.length).toBeGreaterThanOrEqual(3);
  run.driver.kill("SIGKILL");
  await run.driver.ended;
  const resumed = startNarrow();
  // The actors that the first driver spawned end with its session.
  await resumed.until("no actor of the first driver is left", () => !spawned.some(({ pid }) => isAlive(pid)));
  await untilBusy(resumed, resumed.steps.length + 1, "rollouts");
  expect(resumed.runId).toBe(run.runId);

  const processes = cluster.processes();
  // These are the head, Redis, the worker, the driver and three actors.
  expect(processes.length).toBeGreaterThanOrEqual(7);
  for (const pid of processes) process.kill(pid, "SIGKILL");
  await until("nothing is left", () => cluster.processes().length === 0);
  await cluster.startHead();
  await cluster.startWorker();
  const last = startNarrow();
  expect(await expectWholeRun(last, size)).toBe(undisturbed);
  await expectStepsAddUp(last, size);
  expect(last.runId).toBe(run.runId);
});

test("actors are killed in one run, each with work in hand: the next process of each takes it up", async () => {
  const run = startWide();
  // The learner is killed while it waits for groups, and again between a checkpoint and its publication.
  await untilBusy(run, 1, "rollouts");
  const learner = await killActor("learner");
  await untilBack(run, learner.actorId);
  await run.until(
    "the checkpoint of version 2",
    () => existsSync(join(run.folder, "checkpoints", "policy-00000002")),
    {
      everyMs: 1,
    },
  );
  await killActor("learner");
  // A rollout actor is killed with episodes in flight; another one takes them over.
  await untilBusy(run, 2, "rollouts");
  const rollout = await killActor("rollout");
  await untilBack(run, rollout.actorId);
  expect(isAlive(rollout.pid)).toBe(false);
  // The reward actor is killed; its trajectories are scored by the next one.
  await untilBusy(run, 3, "rollouts");
  wideRun = leave(run);
  const reward = await killActor("reward");
  await untilBack(run, reward.actorId);
});

test("the head is killed: training goes on, it knows node and actors again; rollout actors killed while it is away come back with it", async () => {
  const run = await goOnWith(wideRun, 4, () => startWide("wide-head"));
  await run.untilStep(1);
  const before = await cluster.client.actors();
  const [learner] = await cluster.actors("learner");
  if (learner === undefined) throw new Error("no learner is alive");
  const node = (await cluster.client.nodes()).find(({ state }) => state === "alive");
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  await run.untilStep(run.steps.length + 1);
  // The learner is stopped, because the run must not end before the head is back. A driver that stands still for longer
  // than its grace loses its session.
  process.kill(learner.pid, "SIGSTOP");
  await cluster.startHead();
  await run.until("the node is back", async () => {
    const nodes = await cluster.client.nodes();
    return nodes.some(({ nodeId, state }) => nodeId === node?.nodeId && state === "alive");
  });
  const facts = ({ actorId, pid, incarnation, state }: ActorInfo) =>
    [actorId, pid, incarnation, state].join(" ");
  expect((await cluster.client.actors()).map(facts).sort()).toEqual(before.map(facts).sort());
  process.kill(learner.pid, "SIGCONT");

  await untilBusy(run, run.steps.length + 1, "rollouts");
  const actors = await cluster.actors("rollout");
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  for (const { pid } of actors) process.kill(pid, "SIGKILL");
  await until("both are gone", () => actors.every(({ pid }) => !isAlive(pid)));
  await cluster.startHead();
  for (const { actorId, incarnation } of actors) await untilBack(run, actorId, incarnation + 1);
  // A driver that stands still before the new head knows it would lose its session, and with it all that it owns.
  await run.until("the driver is connected", async () =>
    (await cluster.client.drivers()).some(({ pid }) => pid === run.driver.pid),
  );
  wideRun = leave(run);
});

test("the node with base weights and tokenizer is killed with all it runs: they are brought to another, actors move there", async () => {
  const run = await goOnWith(wideRun, 2, () => startWide("wide-node"));
  await run.untilStep(1);
  leave(run);
  // The second node joins when everything runs on the first.
  await cluster.startWorker();
  const { objects } = await cluster.client.listObjects();
  const holding = new Set(objects.flatMap(({ holdingNodeIds }) => holdingNodeIds));
  const lost = (await cluster.client.nodes()).filter(({ nodeId }) => holding.has(nodeId));
  // No other node has these objects, so only the driver can bring them back.
  expect(lost.map(({ state }) => state)).toEqual(["alive"]);
  for (const { pid } of lost) process.kill(pid, "SIGKILL");
  run.driver.kill("SIGCONT");
  expect(await expectWholeRun(run, size)).toBe(undisturbed);
  await expectStepsAddUp(run, size);
  expect(run.driver.output).toContain("the base model and tokenizer were copied to another node");
});
