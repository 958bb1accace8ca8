import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashWeights, loadModel } from "@palimpsest/model";
import { expect } from "vitest";
import { groupSize } from "./recipe.js";
import type { TrainingRun } from "./training-run.js";

export interface WholeRun {
  readonly steps: number;
  readonly groupsPerStep: number;
  /** Whether steps replace groups without reward variance. */
  readonly refilled?: boolean;
}

/**
 * Waits for the end of a run and compares its account with what was requested (T1): every group is trained exactly once
 * or counted as failed, and nothing is outstanding. Returns the hash of the trained weights.
 */
export async function expectWholeRun(
  run: TrainingRun,
  { steps, groupsPerStep, refilled = false }: WholeRun,
): Promise<string> {
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);
  const { groups, episodes } = await run.withQueues((queues) => queues.ledger.counts());
  if (refilled) await expectRejected(run);
  else expect(groups.dispatched).toBe(steps * groupsPerStep);
  expect(groups.outstanding).toBe(0);
  expect(groups.trained + groups.failed).toBe(groups.dispatched);
  expect(episodes.dispatched).toBe(groups.dispatched * groupSize);
  expect(episodes.trained + episodes.failed + episodes.dropped).toBe(episodes.dispatched);

  const checkpoint = newestCheckpoint(run.folder);
  expect(checkpoint.policyVersion).toBe(steps);
  expect(new Set(checkpoint.consumedGroupIds).size).toBe(checkpoint.consumedGroupIds.length);
  if (!refilled) {
    const lastStep = `-s${String(steps).padStart(6, "0")}-`;
    expect(checkpoint.consumedGroupIds.filter((id) => id.includes(lastStep)).length).toBe(
      groupsOfStep(run, steps),
    );
  }
  const { parameters } = await loadModel(join(run.folder, "model"));
  return hashWeights(parameters);
}

/**
 * Each group that a step rejected is closed for that reason and reported in the step's line; all trained groups had
 * reward variance.
 */
async function expectRejected(run: TrainingRun): Promise<void> {
  const failed = await run.withQueues((queues) => queues.ledger.failedGroups());
  const rejected = Object.values(failed).filter((reason) => reason === "ZERO_VARIANCE");
  expect(run.steps.reduce((sum, report) => sum + (report.rejected?.groups ?? 0), 0)).toBe(rejected.length);
  for (const { update, rejected: of } of run.steps)
    expect(update.zeroVarianceFraction).toBe(of?.noneTaught ? 1 : 0);
}

/** Compares what the updates report, step by step, with the account: the sums agree, so nothing was trained twice. */
export async function expectStepsAddUp(run: TrainingRun, { steps }: WholeRun): Promise<void> {
  expect(run.steps.map(({ step, policyVersion }) => [step, policyVersion])).toEqual(
    Array.from({ length: steps }, (_, at) => [at + 1, at + 1]),
  );
  const { groups, episodes } = await run.withQueues((queues) => queues.ledger.counts());
  const sum = (pick: (update: (typeof run.steps)[number]["update"]) => number) =>
    run.steps.reduce((total, { update }) => total + pick(update), 0);
  expect(sum((update) => update.groups)).toBe(groups.trained);
  expect(sum((update) => update.trajectories)).toBe(episodes.trained);
}

function groupsOfStep(run: TrainingRun, step: number): number | undefined {
  return run.steps.find((report) => report.step === step)?.update.groups;
}

interface Checkpoint {
  readonly policyVersion: number;
  readonly consumedGroupIds: readonly string[];
}

function newestCheckpoint(folder: string): Checkpoint {
  const parent = join(folder, "checkpoints");
  const checkpoints = readdirSync(parent)
    .filter((name) => name.startsWith("policy-"))
    .map((name) => JSON.parse(readFileSync(join(parent, name, "checkpoint.json"), "utf8")) as Checkpoint)
    .sort((a, b) => b.policyVersion - a.policyVersion);
  return checkpoints[0] as Checkpoint;
}
