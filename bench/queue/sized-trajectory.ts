import {
  encodeTrajectory,
  plainSampling,
  type Trajectory,
} from "../../packages/learning/trajectories/dist/index.js";

/**
 * The tokens of one memory update, as MemAgent writes it: a prompt with a chunk of the document, and a reply one fifth
 * as long.
 */
const promptTokens = 500;
const replyTokens = 100;
/** The number of characters of the memory after each update. */
const memoryCharacters = 200;
const vocabulary = 151_936;
/** The name of the counter with the sum of all numbers of a trajectory, which the learner compares. */
export const sumCounter = "sum_of_columns";

/**
 * Makes distinct trajectories whose encoding has about this many bytes: conversations of 600 random token ids with
 * random log-probabilities, the last one shortened, and the memory as text after each.
 */
export function sizedTrajectories(wantedBytes: number, count: number): Trajectory[] {
  const random = randomNumbers(1);
  let low = 0;
  let high = wantedBytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (encodeTrajectory(withTokens(middle, randomNumbers(2))).length <= wantedBytes) low = middle;
    else high = middle - 1;
  }
  return Array.from({ length: count }, () => withTokens(low, random));
}

/** The sum of every number of its columns. */
export function sumOfColumns({ conversations }: Pick<Trajectory, "conversations">): number {
  let sum = 0;
  for (const { promptTokenIds, sampledTokenIds, rolloutLogprobs, lossMask } of conversations) {
    for (let i = 0; i < promptTokenIds.length; i++) sum += promptTokenIds[i] as number;
    for (let i = 0; i < sampledTokenIds.length; i++) sum += sampledTokenIds[i] as number;
    for (let i = 0; i < rolloutLogprobs.length; i++) sum += rolloutLogprobs[i] as number;
    if (lossMask === undefined) continue;
    for (let i = 0; i < lossMask.length; i++) sum += lossMask[i] as number;
  }
  return sum;
}

/** A generator with the constants of Numerical Recipes. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function withTokens(tokens: number, random: () => number): Trajectory {
  const tokenId = (): number => Math.floor(random() * vocabulary);
  // The values are multiples of 1/256, so that their sums are exact in any order.
  const logprob = (): number => -Math.floor(random() * 2048) / 256;
  const letter = (): string => String.fromCharCode(97 + Math.floor(random() * 26));
  const conversations = [];
  const memorySteps = [];
  for (let left = tokens, step = 0; left > 0; step++) {
    const prompt = Math.min(left, promptTokens);
    const reply = Math.min(left - prompt, replyTokens);
    left -= prompt + reply;
    conversations.push({
      kind: "memory" as const,
      step,
      promptTokenIds: Array.from({ length: prompt }, tokenId),
      sampledTokenIds: Array.from({ length: reply }, tokenId),
      rolloutLogprobs: Array.from({ length: reply }, logprob),
      sampling: plainSampling,
      lossMask: Array.from({ length: reply }, () => (random() < 0.9 ? 1 : 0)),
      stopReason: "stop" as const,
      policyVersion: 0,
    });
    memorySteps.push({
      step,
      documentTokenStart: step * promptTokens,
      documentTokenEnd: (step + 1) * promptTokens,
      memory: Array.from({ length: memoryCharacters }, letter).join(""),
      recalled: "",
    });
  }
  return {
    trajectoryId: "group-0000000.0",
    groupId: "group-0000000",
    taskId: "task",
    episodeIndex: 0,
    agent: "memagent",
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "0".repeat(64),
    conversations,
    answer: "\\boxed{42}",
    memorySteps,
    startedAtMs: 1,
    endedAtMs: 2,
    actorId: "actor",
    droppedDocumentTokens: 0,
    counters: { [sumCounter]: sumOfColumns({ conversations }) },
  };
}
