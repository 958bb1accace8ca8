import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { writeStepDump } from "../checkpoint/step-dumps.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { type Learner, loadCheckpoint } from "./learner.js";
import { readStepDump, replayStep } from "./replay.js";

const backend = await loadBackend();
let root = "";
beforeEach(() => {
  root = testFolder();
});

const config = tinyConfig({
  preset: "memagent",
  kl: { coefficient: 0.05, adaptive: { target: 0.01, horizon: 100 } },
  miniBatches: 2,
  epochs: 2,
});
const aLearner = (): Learner =>
  createLearner({ backend, config, model: tinyModel, parameters: tinyParameters(), objectives: ["policy"] });

it("repeats a step from its checkpoint and its groups: same weights, same metrics", async () => {
  const learner = aLearner();
  const extra = { consumedGroupIds: [], dataCursor: null };
  let checkpoint = "";
  let dump = "";
  let recorded: unknown;
  for (let step = 1; step <= 3; step++) {
    checkpoint = await learner.saveCheckpoint(root, extra);
    const groups = randomGroups(step);
    const { policyVersion } = learner;
    const given = { policyVersion, shuffleRewards: true, groups };
    dump = (await writeStepDump(join(root, "dumps"), step, given, { keepLast: 2 })).file;
    recorded = await learner.update(groups, { shuffleRewards: true });
  }
  const wanted = learner.weightsHash();
  learner.close();
  expect(await readdir(join(root, "dumps"))).toEqual(["step-00000002.pb", "step-00000003.pb"]);
  const replay = await replayStep({
    backend,
    checkpoint: await loadCheckpoint(checkpoint),
    dump: await readStepDump(dump),
  });
  expect(replay.weightsHash).toBe(wanted);
  const unlikeTime = { durationMs: 0, tokensPerSecond: 0, modelTeraflops: 0 };
  expect({ ...replay.metrics, ...unlikeTime }).toEqual({ ...(recorded as object), ...unlikeTime });
});

it("refuses a dump of another version than the checkpoint's", async () => {
  const learner = aLearner();
  const checkpoint = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
  learner.close();
  const dump = { policyVersion: 3, shuffleRewards: false, groups: randomGroups(1) };
  await expect(replayStep({ backend, checkpoint, dump })).rejects.toThrow(
    /CHECKPOINT_MISMATCH.*version 3.*version 0/,
  );
});
