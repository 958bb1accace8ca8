import { loadBackend, tf } from "@palimpsest/jit";
import { createLearner } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";

/**
 * Trains argv[2] updates of two optimizer steps, and reports the number of tensors and the resident bytes to its
 * parent.
 */
const updates = Number(process.argv[2]);
const learner = createLearner({
  backend: await loadBackend({ threads: 1 }),
  config: tinyConfig({
    miniBatches: 2,
    buckets: [{ rows: 4, length: 12 }],
    measureEntropy: false,
    reference: "none",
  }),
  model: tinyModel,
  parameters: tinyParameters(),
  objectives: ["policy"],
});
const groups = randomGroups(1, 2, 2);
const look = (update: number) => {
  globalThis.gc?.();
  process.send?.({ update, tensors: tf.memory().numTensors, rssBytes: process.memoryUsage.rss() });
};
for (let update = 1; update <= updates; update++) {
  await learner.update(groups);
  if (update % 50 === 0) look(update);
}
learner.close();
process.disconnect?.();
