import { encodeTrajectory, type Trajectory } from "../../packages/trajectories/dist/index.js";

/** Tokens of one memory update, as MemAgent writes it: a prompt with a chunk of document, and a reply of a fifth. */
const promptTokens = 500;
const replyTokens = 100;
const vocabulary = 49_152;

/** A trajectory whose encoding has about that many bytes: conversations of 600 tokens, the last one shortened. */
export function sizedTrajectory(wantedBytes: number): Trajectory {
  let trajectory = withTokens(0);
  let low = 0;
  let high = wantedBytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    trajectory = withTokens(middle);
    if (encodeTrajectory(trajectory).length <= wantedBytes) low = middle;
    else high = middle - 1;
  }
  return withTokens(low);
}

function withTokens(tokens: number): Trajectory {
  let seed = 1;
  // Numerical Recipes' generator: the same tokens in every process.
  const next = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % vocabulary;
  };
  const conversations = [];
  for (let left = tokens, step = 0; left > 0; step++) {
    const prompt = Math.min(left, promptTokens);
    const reply = Math.min(left - prompt, replyTokens);
    left -= prompt + reply;
    conversations.push({
      kind: "memory" as const,
      step,
      promptTokenIds: Array.from({ length: prompt }, next),
      sampledTokenIds: Array.from({ length: reply }, next),
      rolloutLogprobs: Array.from({ length: reply }, () => -next() / vocabulary),
      stopReason: "stop" as const,
      policyVersion: 0,
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
    memorySteps: [],
    startedAtMs: 1,
    endedAtMs: 2,
    actorId: "actor",
    droppedDocumentTokens: 0,
  };
}
