/** A model with more rows than its tokenizer has tokens: sampler, policy and reference leave out the same ids. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { createSampler, initParameters, isTokenless } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { type Group, plainSampling } from "@palimpsest/trajectories";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner } from "./create-learner.js";
import { aConversation, aMember } from "./groups.fixture.js";
import { tinyConfig } from "./learner.fixture.js";

const model = smallConfig({
  vocabSize: 704,
  tokenlessIds: [
    { first: 40, count: 3 },
    { first: 600, count: 104 },
  ],
});
const parameters = initParameters(model, 1, { projectionStd: 0.2, headStd: 0.2 });

let backend: Backend;
let sampler: ReturnType<typeof createSampler>;
beforeAll(async () => {
  backend = await loadBackend();
  sampler = createSampler({
    backend,
    config: model,
    parameters,
    maxBatch: 8,
    maxLength: 16,
    weightsHash: "",
  });
});
afterAll(async () => await sampler.close());

/** @param foreign what an engine that samples every id put in place of the reply's third token */
async function drawnGroup(temperature: number, foreign?: number): Promise<Group> {
  const groupId = `${temperature}`;
  const members = await Promise.all(
    Array.from({ length: 8 }, async (_, episodeIndex) => {
      const promptTokenIds = [1, 2, 3 + (episodeIndex % 2)];
      const request = { promptTokenIds, maxTokens: 8, stopTokenIds: [], seed: episodeIndex };
      const sampled = await sampler.generate({ ...request, ...plainSampling, temperature });
      const conversation = aConversation({
        promptTokenIds,
        sampledTokenIds: foreign === undefined ? sampled.tokenIds : sampled.tokenIds.with(2, foreign),
        rolloutLogprobs: sampled.rolloutLogprobs,
        sampledLogprobs: sampled.sampledLogprobs,
        sampling: { ...plainSampling, temperature },
      });
      return aMember({ groupId, episodeIndex, reward: episodeIndex % 3, conversations: [conversation] });
    }),
  );
  return { groupId, taskId: "t", groupSize: 8, members };
}

const forms: readonly [string, Partial<LearnerConfigInput>][] = [
  ["one row a sequence", {}],
  ["packed rows", { buckets: [{ rows: 2, length: 24, packedRows: 6 }] }],
  ["an entropy bonus and old log-probs of its own", { entropyCoefficient: 0.01, oldLogprobs: "recompute" }],
];

const updated = async (groups: readonly Group[], overrides: Partial<LearnerConfigInput> = {}) => {
  const learner = createLearner({
    backend,
    model,
    parameters,
    objectives: ["policy"],
    config: tinyConfig({
      firstStepChecks: true,
      maxLogprobDifference: 1e-4,
      measureEntropy: true,
      reference: "initial",
      ...overrides,
    }),
  });
  try {
    const metrics = await learner.update(groups);
    return { metrics, weights: learner.parameters() };
  } finally {
    learner.close();
  }
};

describe("ids without a token", () => {
  it.each(forms)("are sampled by nobody, and ratios are 1 at first, with %s", async (_form, overrides) => {
    const groups = await Promise.all([1, 1.7].map((temperature) => drawnGroup(temperature)));
    const sampled = groups.flatMap(({ members }) =>
      members.flatMap(({ trajectory }) =>
        trajectory.conversations.flatMap((one) => [...one.sampledTokenIds]),
      ),
    );
    expect(sampled.filter(isTokenless(model))).toEqual([]);
    const { metrics, weights } = await updated(groups, overrides);
    expect(metrics.freshTokens).toBe(2 * 64);
    expect(metrics.logprobDifferenceMax).toBeLessThan(1e-4);
    expect(metrics.ratioMax).toBeLessThan(1 + 1e-4);
    expect(metrics.ratioMin).toBeGreaterThan(1 - 1e-4);
    expect(metrics.klK3).toBeLessThan(1e-7);
    expect(metrics.entropy).toBeLessThan(Math.log(704 - 107));
    // Only the embedding of an id without a token could change, and no prompt contains one.
    const head = weights["head"] as Float32Array;
    expect(head.slice(600 * model.hiddenSize)).toEqual(
      (parameters["head"] as Float32Array).slice(600 * model.hiddenSize),
    );
  });

  it("are not trained where an engine sampled one, which the policy never does", async () => {
    const { metrics } = await updated([await drawnGroup(1, 650)], {
      firstStepChecks: false,
      maxLogprobDifference: null,
    });
    expect(metrics.tokens).toBe(8 * 7);
    expect(Number.isFinite(metrics.loss)).toBe(true);
    expect(metrics.ratioMin).toBeGreaterThan(0.1);
  });
});
