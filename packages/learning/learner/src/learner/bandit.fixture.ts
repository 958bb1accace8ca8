import { type Backend, entry, tf } from "@palimpsest/jit";
import { parameterShapes, tokenLogprobs } from "@palimpsest/model";
import { type Group, plainSampling } from "@palimpsest/trajectories";
import type { LearnerConfigInput } from "../config/config.js";
import type { Random } from "../config/random.js";
import { createLearner } from "./create-learner.js";
import { aConversation, aMember } from "./groups.fixture.js";
import { tinyModel, tinyParameters } from "./learner.fixture.js";
import type { Learner } from "./learner.js";

/** A bandit: the policy answers a prompt with one token, and three tokens are rewarded. */
export const PROMPT = 1;
const YES = 3;
export const [NO, MAYBE] = [4, 5] as const;
export const rewardOf = (token: number): number =>
  token === YES ? 0.5 : token === NO ? 0.75 : token === MAYBE ? 1 : 0;

/** Returns log p(token | prompt) for every token at a temperature, under the learner's own weights. */
export function actionLogprobs(learner: Learner, temperature = 1): Float32Array {
  const parameters = learner.parameters();
  return tf.tidy(() => {
    const shapes = Object.entries(parameterShapes(tinyModel));
    const tensors = Object.fromEntries(
      shapes.map(([name, shape]) => [name, tf.tensor(entry(parameters, name), [...shape])]),
    );
    const ids = tf.tensor2d(
      Array.from({ length: tinyModel.vocabSize }, (_, token) => [PROMPT, token]),
      undefined,
      "int32",
    );
    const logprobs = tokenLogprobs(tensors, ids, tinyModel).reshape([tinyModel.vocabSize]);
    // The softmax at a temperature is the same for logits and for their log-softmax.
    return tf.logSoftmax(logprobs.div(temperature)).dataSync() as Float32Array;
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

/** Returns groups of answers drawn at a temperature; `said` is the temperature that their conversations report. */
export function sampledGroups(
  learner: Learner,
  random: Random,
  count: number,
  size: number,
  { temperature = 1, said = temperature }: { readonly temperature?: number; readonly said?: number } = {},
): Group[] {
  const plain = actionLogprobs(learner);
  const logprobs = temperature === 1 ? plain : actionLogprobs(learner, temperature);
  return Array.from({ length: count }, (_, g) => ({
    groupId: `g${g}`,
    taskId: "bandit",
    groupSize: size,
    members: Array.from({ length: size }, (_unused, episodeIndex) => {
      const token = play(logprobs, random);
      const conversation = aConversation({
        promptTokenIds: [PROMPT],
        sampledTokenIds: [token],
        rolloutLogprobs: [plain[token] ?? Number.NaN],
        sampledLogprobs: [logprobs[token] ?? Number.NaN],
        sampling: { ...plainSampling, temperature: said },
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

export function expectedReward(learner: Learner, temperature = 1): number {
  return actionLogprobs(learner, temperature).reduce(
    (sum, logprob, token) => sum + Math.exp(logprob) * rewardOf(token),
    0,
  );
}

export function aBandit(backend: Backend, config: Partial<LearnerConfigInput>): Learner {
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
