import { type Group, plainSampling } from "../packages/learning/trajectories/src/index.js";

/** Returns token ids without a random generator: their values do not affect the cost of the arithmetic. */
export function someTokens(count: number, offset: number, vocabSize: number): number[] {
  return Array.from({ length: count }, (_, i) => ((i + 1) * 7919 + offset * 104_729) % vocabSize);
}

/**
 * Makes groups whose rows are full: half of each row is the prompt, and half was sampled. The first `common` tokens of a group's
 * prompts are the same; default: all.
 */
export function fullRowGroups(shape: {
  readonly rows: number;
  readonly length: number;
  readonly vocabSize: number;
  readonly groupSize: number;
  readonly common?: number;
}): Group[] {
  const { rows, length, vocabSize, groupSize } = shape;
  const prompt = Math.floor(length / 2);
  const common = shape.common ?? prompt;
  const reply = length - prompt;
  return Array.from({ length: rows / groupSize }, (_, g) => ({
    groupId: `group-${g}`,
    taskId: "bench",
    groupSize,
    members: Array.from({ length: groupSize }, (_unused, episodeIndex) => ({
      trajectory: {
        trajectoryId: `group-${g}-${episodeIndex}`,
        groupId: `group-${g}`,
        taskId: "bench",
        episodeIndex,
        agent: "bench",
        policyVersionMin: 0,
        policyVersionMax: 0,
        weightsHash: "",
        conversations: [
          {
            kind: "final" as const,
            step: 0,
            promptTokenIds: [
              ...someTokens(common, g, vocabSize),
              ...someTokens(prompt - common, g * groupSize + episodeIndex + 1, vocabSize),
            ],
            sampledTokenIds: someTokens(reply, g * groupSize + episodeIndex, vocabSize),
            rolloutLogprobs: Array<number>(reply).fill(-Math.log(vocabSize)),
            sampling: plainSampling,
            stopReason: "length" as const,
            policyVersion: 0,
          },
        ],
        answer: "",
        memorySteps: [],
        startedAtMs: 0,
        endedAtMs: 0,
        actorId: "",
        droppedDocumentTokens: 0,
      },
      score: { reward: episodeIndex % 3, components: {} },
    })),
  }));
}
