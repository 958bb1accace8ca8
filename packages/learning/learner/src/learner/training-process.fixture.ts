import { loadBackend } from "@palimpsest/jit";
import { latestCheckpoint } from "../checkpoint/checkpoint.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { loadCheckpoint } from "./learner.js";

/**
 * Trains on from the newest checkpoint in argv[2], with one checkpoint per update, reporting each version to its parent
 * when it is on disk, until version argv[3] or until killed.
 */
const root = process.argv[2] ?? "";
const versions = Number(process.argv[3]);
const folder = await latestCheckpoint(root);
const learner = createLearner({
  backend: await loadBackend(),
  config: tinyConfig({
    preset: "memagent",
    kl: { coefficient: 0.05, adaptive: { target: 0.01, horizon: 100 } },
    miniBatches: 4,
    schedule: { kind: "cosine", learningRate: 1e-2, warmupSteps: 3, totalSteps: 40 },
  }),
  model: tinyModel,
  parameters: tinyParameters(),
  objectives: ["policy"],
  ...(folder === undefined ? {} : { checkpoint: await loadCheckpoint(folder) }),
});
while (learner.policyVersion < versions) {
  await learner.update(randomGroups(learner.policyVersion, 5), { shuffleRewards: true });
  await learner.saveCheckpoint(root, { consumedGroupIds: [], dataCursor: learner.policyVersion });
  process.send?.(learner.policyVersion);
}
learner.close();
process.disconnect?.();
