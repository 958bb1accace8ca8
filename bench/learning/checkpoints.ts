/**
 * Measures the seconds per step with a checkpoint at every step and with one every few steps. Update, dump and save are
 * the product's own (`Learner.update`, `writeStepDump`, `LearnerSaves`); sampling and publication are not included.
 * Afterwards the log of the largest interval is replayed, as after a crash, and its weights are compared by hash.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/checkpoints.ts [--shape FOLDER] [--every 1,10] [--steps
 *   10] [--rows 8] [--length 128] [--threads 2] [--dir FOLDER] [--json FILE]
 * `--shape` is a folder with a config.json, such as recipes/shapes/smollm2-135m, whose weights are then random; `--dir`
 * is where checkpoints go: their disk is what is measured.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  createLearner,
  type LearnerConfigInput,
  writeStepDump,
} from "../../packages/learning/learner/src/index.js";
import { loadConfig, parameterCount } from "../../packages/learning/model/src/index.js";
import { findSaved, LearnerSaves } from "../../packages/learning/trainer/src/run-folder/learner-saves.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  shape: "recipes/shapes/smollm2-135m",
  every: "1,10",
  steps: "10",
  rows: "8",
  length: "128",
  threads: "2",
  dir: tmpdir(),
  json: undefined,
});

const steps = Number(flags.steps);
const [rows, length] = [Number(flags.rows), Number(flags.length)];
const model = await loadConfig(flags.shape);
const parameters = quickParameters(model);
const backend = await loadBackend({ threads: Number(flags.threads) });
const config: LearnerConfigInput = {
  preset: "memagent",
  buckets: [{ rows: Math.min(rows, 4), length }],
  schedule: { learningRate: 1e-6 },
};
const groups = fullRowGroups({ rows, length, vocabSize: model.vocabSize, groupSize: 4 });
const { signal } = new AbortController();

async function measure(everySteps: number) {
  const root = mkdtempSync(join(flags.dir, "palimpsest-checkpoints-"));
  const checkpointDir = join(root, "checkpoints");
  const settings = { checkpointDir, everySteps, steps: Infinity, keepLast: 2 };
  const learner = createLearner({ backend, config, model, parameters, objectives: ["policy"] });
  try {
    const saves = new LearnerSaves(learner, settings, "");
    let weightsHash = learner.weightsHash();
    await saves.saveCheckpoint({ weightsHash, consumedGroupIds: [], dataCursor: {} });
    // The first update includes compilation, so it is not counted.
    const [updates, saved, whole]: [number[], number[], number[]] = [[], [], []];
    for (let step = 1; step <= steps; step++) {
      const startedAt = performance.now();
      const given = { policyVersion: learner.policyVersion, shuffleRewards: false, groups };
      const dump = await writeStepDump(join(root, "dumps"), step, given, { keepLast: 2 });
      const dumpedAt = performance.now();
      await learner.update(groups);
      const updatedAt = performance.now();
      // Publication hashes the weights in both cases.
      const parentHash = weightsHash;
      weightsHash = learner.weightsHash();
      const hashedAt = performance.now();
      const ids = { parentHash, weightsHash, consumedGroupIds: groups.map(({ groupId }) => groupId) };
      await saves.save({ step, ...ids, dataCursor: {}, dump: everySteps > 1 ? dump : undefined });
      const savedAt = performance.now();
      if (step === 1) continue;
      updates.push((updatedAt - dumpedAt) / 1000);
      saved.push((savedAt - hashedAt + dumpedAt - startedAt) / 1000);
      whole.push((savedAt - startedAt) / 1000);
    }
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const result = {
      everySteps,
      secondsPerStep: mean(whole),
      updateSeconds: median(updates),
      saveSecondsPerStep: mean(saved),
      saveSecondsMedian: median(saved),
      checkpointMb: statSync(join(saves.checkpoint, "state.bin")).size / 1e6,
      weightsHash,
    };
    return { ...result, again: everySteps > 1 ? await repeated(checkpointDir, weightsHash) : undefined };
  } finally {
    learner.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Does what a learner does that starts after a crash. */
async function repeated(checkpointDir: string, weightsHash: string) {
  const startedAt = performance.now();
  const run = await findSaved(checkpointDir);
  if (run === undefined) throw new Error("nothing was saved");
  const loadedAt = performance.now();
  const { checkpoint } = run;
  const learner = createLearner({ backend, config, model, parameters, objectives: ["policy"], checkpoint });
  const settings = { checkpointDir, everySteps: 1, steps, keepLast: 2 };
  await new LearnerSaves(learner, settings, run.folder).repeat(run, { gpu: backend.gpu, signal });
  const again = learner.weightsHash();
  learner.close();
  return {
    loadSeconds: (loadedAt - startedAt) / 1000,
    repeatedSteps: run.steps.length,
    repeatSeconds: (performance.now() - loadedAt) / 1000,
    sameWeights: again === weightsHash,
  };
}

const results = [];
for (const everySteps of flags.every.split(",").map(Number)) {
  const result = await measure(everySteps);
  results.push(result);
  console.log(
    `k ${String(everySteps).padStart(3)}  ${result.secondsPerStep.toFixed(2)} s per step  update ${result.updateSeconds.toFixed(2)} s  save ${result.saveSecondsPerStep.toFixed(3)} s per step (median ${result.saveSecondsMedian.toFixed(3)})`,
  );
  const { again } = result;
  if (again !== undefined)
    console.log(
      `       after a crash: read in ${again.loadSeconds.toFixed(1)} s, ${again.repeatedSteps} steps repeated in ${again.repeatSeconds.toFixed(1)} s, ${again.sameWeights ? "the same weights" : "OTHER WEIGHTS"}`,
    );
}
if (flags.json !== undefined) {
  const at = { parameters: parameterCount(model), rows, length, steps, threads: Number(flags.threads) };
  const report = {
    shape: flags.shape.replace(`${dirname(flags.shape)}/`, ""),
    ...at,
    load: loadavg()[0],
    results,
  };
  writeResult(flags.json, report);
}
