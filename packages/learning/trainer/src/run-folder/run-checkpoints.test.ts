import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { createLearner, rateCheckpoint } from "@palimpsest/learner";
import { hashWeights, initModel, parseModelInit, saveModel } from "@palimpsest/model";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { checkpointsOfRun } from "./run-checkpoints.js";
import { readRunModel } from "./run-model.js";
import { checkpointDirOf } from "./run-paths.js";

const folder = fileFolder();

test("a run gives its best checkpoint, the one after a step, or all, and says which there are", async () => {
  const base = join(folder, "base");
  const init = parseModelInit({
    tokenizer: { vocabSize: 270 },
    model: { layers: 1, hiddenSize: 8, heads: 2, maxPositions: 32 },
  });
  const model = initModel(init, ["a b a b"]);
  await saveModel(base, model);
  const runDir = join(folder, "run");
  mkdirSync(runDir);
  writeFileSync(join(runDir, "run.json"), JSON.stringify({ runId: "r", recipe: { model: { path: base } } }));
  await expect(checkpointsOfRun(runDir, "best")).rejects.toThrow(/no checkpoint yet/);

  const learner = createLearner({
    backend: await loadBackend({ prefer: "cpu" }),
    model: model.config,
    parameters: model.parameters,
    config: { reference: "none", kl: { coefficient: 0 }, buckets: [{ rows: 1, length: 4 }] },
    objectives: ["supervised"],
    mode: "eager",
  });
  const root = checkpointDirOf(runDir);
  const hashes: string[] = [];
  for (let step = 1; step <= 3; step++) {
    await learner.sft([{ tokenIds: [5, 6, 7], lossMask: [0, 1, 1] }]);
    await learner.saveCheckpoint(root, { consumedGroupIds: [], dataCursor: null }, { keepLast: 2 });
    hashes.push(hashWeights(learner.parameters()));
    if (step === 1) {
      await expect(checkpointsOfRun(runDir, "best")).rejects.toThrow(/steps 1.*--step/);
      await rateCheckpoint(root, 1, 0.5);
    }
  }
  learner.close();

  const [best] = await checkpointsOfRun(runDir, "best");
  expect(best).toMatchObject({ policyVersion: 1, metric: 0.5 });
  const { parameters } = await readRunModel(best?.folder ?? "", { cacheDir: folder });
  expect(hashWeights(parameters)).toBe(hashes[0]);
  const all = await checkpointsOfRun(runDir, "all");
  expect(all.map(({ policyVersion }) => policyVersion)).toEqual([1, 2, 3]);
  expect(await checkpointsOfRun(runDir, { step: 3 })).toEqual(all.slice(2));
  await expect(checkpointsOfRun(runDir, { step: 9 })).rejects.toThrow(
    /step 9 .*choose one of the steps 1, 2, 3/,
  );
  await expect(checkpointsOfRun(base, "all")).rejects.toThrow(/no run\.json/);
});
