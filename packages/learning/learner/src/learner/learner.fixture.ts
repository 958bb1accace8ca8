import { entry } from "@palimpsest/jit";
import { initParameters, type ModelConfig } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import type { Group } from "@palimpsest/trajectories";
import type { LearnerConfigInput } from "../config/config.js";
import { createRandom } from "../config/random.js";
import type { PackableRow } from "../rows/micro-batches.js";
import { aConversation, aMember } from "./groups.fixture.js";

/** The smallest model that has every part. Each layer more would be traced and compiled by every learner. */
export const tinyModel: ModelConfig = smallConfig({ layers: 1 });

/** For tests of how layers follow each other. */
export const twoLayers: ModelConfig = smallConfig({ layers: 2 });

export const tinyParameters = (seed = 1, model = tinyModel) =>
  initParameters(model, seed, { projectionStd: 0.2, headStd: 0.2 });

export const tinyConfig = (overrides: Partial<LearnerConfigInput> = {}): LearnerConfigInput => ({
  preset: "verl",
  schedule: { learningRate: 1e-2 },
  buckets: [{ rows: 4, length: 12 }],
  ...overrides,
});

/** Groups of two conversations per trajectory with random tokens, log-probabilities and rewards. */
export function randomGroups(seed: number, count = 3, groupSize = 4): Group[] {
  const random = createRandom(seed);
  const tokens = (n: number) => Array.from({ length: n }, () => random.below(16));
  return Array.from({ length: count }, (_, g) => {
    const groupId = `group-${g}`;
    const members = Array.from({ length: groupSize }, (_, episodeIndex) =>
      aMember({
        groupId,
        episodeIndex,
        reward: random.below(4) / 4,
        conversations: [0, 1].map((step) => {
          const sampledTokenIds = tokens(1 + random.below(4));
          const rolloutLogprobs = sampledTokenIds.map(() => -1 - random.below(300) / 100);
          return aConversation({
            step,
            promptTokenIds: tokens(2 + random.below(5)),
            sampledTokenIds,
            rolloutLogprobs,
          });
        }),
      }),
    );
    return { groupId, taskId: `task-${g}`, groupSize, members };
  });
}

/** Nine rows of three prompts of 2 to 5 tokens; one token after the first trained one is not trained. */
export function rowsOfPrompts(): PackableRow[] {
  const random = createRandom(13);
  const prompts = [2, 5, 4].map((tokens) => Array.from({ length: tokens }, () => random.below(16)));
  return Array.from({ length: 9 }, (_, i) => {
    const prompt = entry(prompts, i % 3);
    const reply = Array.from({ length: 3 + random.below(4) }, () => random.below(16));
    const tokenIds = [...prompt, ...reply];
    return {
      tokenIds,
      lossMask: tokenIds.map((_token, at) => (at >= prompt.length && at !== prompt.length + 1 ? 1 : 0)),
      rolloutLogprobs: tokenIds.map(() => -2 - random.below(100) / 100),
      advantage: random.below(5) - 2,
    };
  });
}
