import { type Backend, loadBackend } from "@palimpsest/jit";
import { parameterShapes, tokenLogprobs } from "@palimpsest/model";
import type { Group } from "@palimpsest/trajectories";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "./config.js";
import { aConversation, aMember } from "./groups.fixture.js";
import { tinyModel, tinyParameters } from "./learner.fixture.js";
import { createLearner, type Learner } from "./learner.js";
import { createRandom, type Random } from "./random.js";
import { warmStart } from "./warm-start.js";

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend();
});

const PROMPT = 1;
const [YES, NO, MAYBE] = [3, 4, 5];
const rewardOf = (token: number) => ({ [YES]: 0.5, [NO]: 0.75, [MAYBE]: 1 })[token] ?? 0;

/** log p(token | prompt) for every token, by the learner's own weights. */
function actionLogprobs(learner: Learner): Float32Array {
  const parameters = learner.parameters();
  return tf.tidy(() => {
    const shapes = Object.entries(parameterShapes(tinyModel));
    const tensors = Object.fromEntries(
      shapes.map(([name, shape]) => [name, tf.tensor(parameters[name] as Float32Array, [...shape])]),
    );
    const ids = tf.tensor2d(
      Array.from({ length: tinyModel.vocabSize }, (_, token) => [PROMPT, token]),
      undefined,
      "int32",
    );
    return tokenLogprobs(tensors, ids, tinyModel).dataSync() as Float32Array;
  });
}

function play(logprobs: Float32Array, random: Random): number {
  let left = random.below(2 ** 30) / 2 ** 30;
  for (const [token, logprob] of logprobs.entries()) {
    left -= Math.exp(logprob);
    if (left < 0) return token;
  }
  return logprobs.length - 1;
}

function sampledGroups(learner: Learner, random: Random, count: number, size: number): Group[] {
  const logprobs = actionLogprobs(learner);
  return Array.from({ length: count }, (_, g) => ({
    groupId: `g${g}`,
    taskId: "bandit",
    groupSize: size,
    members: Array.from({ length: size }, (_unused, episodeIndex) => {
      const token = play(logprobs, random);
      const conversation = aConversation({
        promptTokenIds: [PROMPT],
        sampledTokenIds: [token],
        rolloutLogprobs: [logprobs[token] ?? Number.NaN],
        policyVersion: learner.policyVersion,
      });
      return aMember({
        groupId: `g${g}`,
        episodeIndex,
        reward: rewardOf(token),
        conversations: [conversation],
      });
    }),
  }));
}

function expectedReward(learner: Learner): number {
  return actionLogprobs(learner).reduce(
    (sum, logprob, token) => sum + Math.exp(logprob) * rewardOf(token),
    0,
  );
}

function aBandit(config: Partial<LearnerConfigInput>): Learner {
  return createLearner({
    backend,
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    config: {
      preset: "memagent",
      schedule: { learningRate: 1e-2 },
      buckets: [{ rows: 64, length: 2 }],
      firstStepChecks: true,
      maxLogprobDifference: 1e-4,
      ...config,
    },
  });
}

describe("a policy of one choice", () => {
  it.each([1, 2, 3, 4, 5])("learns to answer with what pays best (seed %i)", async (seed) => {
    const learner = aBandit({});
    const random = createRandom(seed);
    const before = expectedReward(learner);
    for (let update = 0; update < 60; update++) await learner.update(sampledGroups(learner, random, 8, 8));
    expect(before).toBeLessThan(0.4);
    expect(expectedReward(learner)).toBeGreaterThanOrEqual(0.95);
    learner.close();
  });

  it("does not gain when rewards are dealt to the wrong episodes", async () => {
    const learner = aBandit({});
    const random = createRandom(4);
    const before = expectedReward(learner);
    for (let update = 0; update < 20; update++)
      await learner.update(sampledGroups(learner, random, 8, 8), { shuffleRewards: true });
    expect(expectedReward(learner) - before).toBeLessThan(0.3);
    learner.close();
  });

  it("stays at the reference under a large KL coefficient and leaves it without", async () => {
    const drift = async (coefficient: number) => {
      const learner = aBandit({ kl: { coefficient }, schedule: { learningRate: 3e-3 } });
      const random = createRandom(5);
      let last = 0;
      for (let update = 0; update < 40; update++)
        last = (await learner.update(sampledGroups(learner, random, 8, 8))).klK3;
      learner.close();
      return last;
    };
    expect(await drift(0)).toBeGreaterThan(0.3);
    expect(await drift(100)).toBeLessThan(0.01);
  });
});

describe("warmStart", () => {
  it("teaches demonstrations and leaves masked tokens alone", async () => {
    const learner = createLearner({
      backend,
      model: tinyModel,
      parameters: tinyParameters(),
      objectives: ["supervised"],
      config: { reference: "none", kl: { coefficient: 0 }, buckets: [{ rows: 4, length: 4 }] },
    });
    const rows = [
      { tokenIds: [PROMPT, MAYBE, 7], lossMask: [0, 1, 0] },
      { tokenIds: [2, NO, 8], lossMask: [0, 1, 0] },
    ];
    const losses: number[] = [];
    const last = await warmStart({
      learner,
      rows: () => rows,
      steps: 60,
      learningRate: (step) => 1e-2 * (1 - step / 120),
      onStep: (metrics) => losses.push(metrics.loss),
    });
    expect(losses[0]).toBeGreaterThan(1);
    expect(last?.loss).toBeLessThan(0.05);
    expect(last).toMatchObject({ step: 60, policyVersion: 60, tokens: 2 });
    expect(Math.exp(actionLogprobs(learner)[MAYBE] ?? Number.NaN)).toBeGreaterThan(0.9);
    learner.close();
  });

  it("refuses rows whose mask does not fit or trains the first token", async () => {
    const learner = createLearner({
      backend,
      model: tinyModel,
      parameters: tinyParameters(),
      objectives: ["supervised"],
      config: { buckets: [{ rows: 4, length: 4 }] },
    });
    const refuse = async (lossMask: number[], pattern: RegExp) =>
      await expect(learner.sft([{ tokenIds: [1, 2], lossMask }])).rejects.toThrow(pattern);
    await refuse([0], /supervised row 0: lossMask has 1 entries for 2 tokens/);
    await refuse([1, 1], /lossMask\[0\] is 1/);
    await refuse([0, 0.5], /lossMask\[1\] is 0.5/);
    await refuse([0, 0], /BATCH_EMPTY/);
    learner.close();
  });
});
