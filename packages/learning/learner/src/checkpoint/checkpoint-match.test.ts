import { expect, it } from "vitest";
import { resolveLearnerConfig } from "../config/config.js";
import { tinyConfig, tinyModel } from "../learner/learner.fixture.js";
import { checkSameLearner } from "./checkpoint-match.js";

const config = resolveLearnerConfig(tinyConfig());
const saved = JSON.parse(JSON.stringify({ model: tinyModel, config }));

it("a checkpoint of another model of the same sizes, or of other settings, is refused by field", () => {
  checkSameLearner(saved, tinyModel, config);
  expect(() => checkSameLearner(saved, { ...tinyModel, ropeTheta: 5e5 }, config)).toThrow(
    /\[CHECKPOINT_MISMATCH\] model.ropeTheta is 500000, but the checkpoint was written with 10000/,
  );
  const other = resolveLearnerConfig(tinyConfig({ preset: "slime" }));
  expect(() => checkSameLearner(saved, tinyModel, other)).toThrow(/config.preset is "slime", .* with "verl"/);
  const faster = resolveLearnerConfig(tinyConfig({ schedule: { learningRate: 1 } }));
  expect(() => checkSameLearner(saved, tinyModel, faster)).toThrow(
    /config.schedule is .*"learningRate":1[,}]/,
  );
});

it("what decides only how an update is computed may change, and fields of later versions are not asked for", () => {
  const shaped = resolveLearnerConfig(
    tinyConfig({ buckets: [{ rows: 2, length: 12 }], memory: { layers: "scan" }, peakTeraflops: 1 }),
  );
  checkSameLearner(saved, tinyModel, shaped);
  const longer = resolveLearnerConfig(tinyConfig({ schedule: { learningRate: 1e-2, totalSteps: 2000 } }));
  checkSameLearner(saved, tinyModel, longer);
  const { epochs: _later, ...earlier } = saved.config;
  checkSameLearner({ ...saved, config: earlier }, tinyModel, resolveLearnerConfig(tinyConfig({ epochs: 2 })));
});
