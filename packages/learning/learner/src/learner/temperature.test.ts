import { type Backend, loadBackend } from "@palimpsest/jit";
import { createSampler } from "@palimpsest/model";
import { type Group, plainSampling, type Sampling } from "@palimpsest/trajectories";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createRandom } from "../config/random.js";
import { gatherRows } from "../rows/rows.js";
import { aBandit, actionLogprobs, rewardOf, sampledGroups } from "./bandit.fixture.js";
import { createLearner } from "./create-learner.js";
import { aConversation, aMember } from "./groups.fixture.js";
import { tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";

let backend: Backend;
let sampler: ReturnType<typeof createSampler>;
beforeAll(async () => {
  backend = await loadBackend();
  const limits = { maxBatch: 8, maxLength: 16, weightsHash: "" };
  sampler = createSampler({ backend, config: tinyModel, parameters: tinyParameters(), ...limits });
});
afterAll(async () => await sampler.close());

/** A group whose conversations the product's own sampler drew; `said` is what they say of the sampling. */
async function drawnGroup(drawn: Partial<Sampling>, said: Partial<Sampling> = drawn): Promise<Group> {
  const groupId = JSON.stringify(drawn);
  const members = await Promise.all(
    Array.from({ length: 8 }, async (_, episodeIndex) => {
      const promptTokenIds = [1, 2, 3 + (episodeIndex % 2)];
      const request = { promptTokenIds, maxTokens: 8, stopTokenIds: [], seed: episodeIndex };
      const sampled = await sampler.generate({ ...request, ...plainSampling, ...drawn });
      const conversation = aConversation({
        promptTokenIds,
        sampledTokenIds: sampled.tokenIds,
        rolloutLogprobs: sampled.rolloutLogprobs,
        sampledLogprobs: sampled.sampledLogprobs,
        sampling: { ...plainSampling, ...said },
      });
      return aMember({ groupId, episodeIndex, reward: episodeIndex % 3, conversations: [conversation] });
    }),
  );
  return { groupId, taskId: "t", groupSize: 8, members };
}

async function firstUpdate(groups: readonly Group[], overrides: Partial<LearnerConfigInput> = {}) {
  const learner = createLearner({
    backend,
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    config: tinyConfig({ firstStepChecks: true, maxLogprobDifference: 0.05, ...overrides }),
  });
  try {
    return await learner.update(groups);
  } finally {
    learner.close();
  }
}

const forms: readonly [string, Partial<LearnerConfigInput>][] = [
  ["one row a sequence", {}],
  ["packed rows", { buckets: [{ rows: 2, length: 24, packedRows: 6 }] }],
  ["shared prompts", { buckets: [{ rows: 8, length: 12, sharedPrompts: { length: 4, replies: 4 } }] }],
];

describe("sampler and learner", () => {
  it.each(forms)("agree after temperature, before the first step, with %s", async (_form, overrides) => {
    const drawn = [0.6, 1, 1.5].map((temperature) => drawnGroup({ temperature }));
    const metrics = await firstUpdate(await Promise.all(drawn), overrides);
    expect(metrics.freshTokens).toBe(3 * 64);
    expect(metrics.logprobDifferenceMax).toBeLessThan(1e-4);
    expect(metrics.temperatureMean).toBeCloseTo(3.1 / 3, 12);
  });

  it("are distinguished where a conversation does not say the temperature it was drawn at", async () => {
    const group = await drawnGroup({ temperature: 0.6 }, { temperature: 0.9 });
    await expect(firstUpdate([group])).rejects.toMatchObject({ code: "LOGPROB_MISMATCH" });
  });

  it("do not train what was truncated unless an importance correction is on", async () => {
    const group = await drawnGroup({ topP: 0.8, temperature: 0.6 });
    expect(() => gatherRows([group])).toThrow(/\[ROW_INVALID\].*topP 0\.8, topK 0, minP 0.*set importance/);
    const metrics = await firstUpdate([group], { importance: { kind: "tis-token", cap: 2 } });
    // A token that was kept is likelier among those that were kept: its weight is below 1.
    expect(metrics.importanceMean).toBeLessThan(1);
    expect(metrics.importanceMean).toBeGreaterThan(0.7);
    expect(metrics.freshTokens).toBe(0);
  });

  it("do not train greedy replies, nor an engine's that does not tell what it drew from", async () => {
    const greedy = await drawnGroup({ temperature: 0 });
    expect(() => gatherRows([greedy])).toThrow(/sampling.temperature is 0/);
    const group = await drawnGroup({ temperature: 0.6 });
    const members = group.members.map(({ trajectory, score }) => {
      const conversations = trajectory.conversations.map(({ sampledLogprobs: _none, ...rest }) => rest);
      return { score, trajectory: { ...trajectory, conversations } };
    });
    expect(() => gatherRows([{ ...group, members }])).toThrow(
      /sampledLogprobs are absent at temperature 0.6/,
    );
  });
});

/** Where a policy converges that maximizes reward less β times its KL to where it started: reference · exp(reward / β). */
function optimalReward(reference: Float32Array, beta: number): number {
  const weights = [...reference].map((logprob, token) => Math.exp(logprob + rewardOf(token) / beta));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.reduce((sum, weight, token) => sum + (weight / total) * rewardOf(token), 0);
}

describe("a bandit whose optimum is known", () => {
  const beta = 0.2;
  const temperature = 0.4;
  const converged = async (said: number) => {
    const learner = aBandit(backend, {
      advantage: { kind: "rloo" },
      // In a loss this estimator has the gradient of the reverse KL.
      kl: { coefficient: beta, estimator: "k2" },
      schedule: { learningRate: 1e-2, kind: "linear", totalSteps: 60 },
      buckets: [{ rows: 64, length: 2 }],
      firstStepChecks: false,
      maxLogprobDifference: null,
    });
    const reference = actionLogprobs(learner, temperature);
    const random = createRandom(3);
    for (let update = 0; update < 60; update++)
      await learner.update(sampledGroups(learner, random, 4, 32, { temperature, said }));
    const policy = actionLogprobs(learner, temperature);
    learner.close();
    const rewardAt = (logprobs: Float32Array) =>
      logprobs.reduce((sum, logprob, token) => sum + Math.exp(logprob) * rewardOf(token), 0);
    return { start: rewardAt(reference), reward: rewardAt(policy), optimum: optimalReward(reference, beta) };
  };

  it("is solved by the policy that sampled", async () => {
    const { start, reward, optimum } = await converged(temperature);
    expect(optimum - start).toBeGreaterThan(0.1);
    expect(Math.abs(reward - optimum)).toBeLessThan(0.03);
  });

  it("is missed by a policy at another temperature than it was sampled at", async () => {
    const { reward, optimum } = await converged(1);
    expect(Math.abs(reward - optimum)).toBeGreaterThan(0.1);
  });
});
