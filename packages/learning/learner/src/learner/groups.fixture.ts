import {
  type Conversation,
  type Group,
  plainSampling,
  type ScoredTrajectory,
} from "@palimpsest/trajectories";

/** The functions of this file build records for tests, with defaults. */
export function aConversation(overrides: Partial<Conversation> = {}): Conversation {
  const sampledTokenIds = overrides.sampledTokenIds ?? [5, 6];
  return {
    kind: "final",
    step: 0,
    promptTokenIds: [1, 2, 3],
    sampledTokenIds,
    rolloutLogprobs: Array.from(sampledTokenIds, () => -1),
    sampling: plainSampling,
    stopReason: "stop",
    policyVersion: 0,
    ...overrides,
  };
}

export function aMember(overrides: {
  readonly groupId?: string;
  readonly episodeIndex?: number;
  readonly trajectoryId?: string;
  readonly reward?: number;
  readonly components?: Readonly<Record<string, number>>;
  readonly conversations?: readonly Conversation[];
}): ScoredTrajectory {
  const { groupId = "g", episodeIndex = 0, reward = 0 } = overrides;
  const conversations = overrides.conversations ?? [aConversation()];
  const versions = conversations.map((conversation) => conversation.policyVersion);
  return {
    trajectory: {
      trajectoryId: overrides.trajectoryId ?? `${groupId}-${episodeIndex}`,
      groupId,
      taskId: `task-${groupId}`,
      episodeIndex,
      agent: "test",
      policyVersionMin: Math.min(...versions),
      policyVersionMax: Math.max(...versions),
      weightsHash: "",
      conversations,
      answer: "",
      memorySteps: [],
      startedAtMs: 0,
      endedAtMs: 0,
      actorId: "actor-test",
      droppedDocumentTokens: 0,
    },
    score: { reward, components: overrides.components ?? { exactMatch: reward } },
  };
}

export function aGroup(
  groupId: string,
  rewards: readonly number[],
  conversations?: readonly Conversation[],
): Group {
  return {
    groupId,
    taskId: `task-${groupId}`,
    groupSize: Math.max(rewards.length, 2),
    members: rewards.map((reward, episodeIndex) =>
      aMember({ groupId, episodeIndex, reward, ...(conversations === undefined ? {} : { conversations }) }),
    ),
  };
}
