import type { Task } from "@palimpsest/memory/records";
import { plainSampling, type Trajectory } from "@palimpsest/memory/records";
import type { Episode, GroupRequest } from "../base/group-spec.js";

/** Builds a task, for tests. */
export function aTask(fields: Partial<Task> = {}): Task {
  return {
    id: "task-1",
    question: "What is the number?",
    answers: ["42"],
    document: "The number is 42.",
    metadata: { kind: "test" },
    ...fields,
  };
}

/** Builds a trajectory, for tests. */
export function aTrajectory(fields: Partial<Trajectory> = {}): Trajectory {
  return {
    trajectoryId: "group-1.0",
    groupId: "group-1",
    taskId: "task-1",
    episodeIndex: 0,
    agent: "memagent",
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "hash-0",
    conversations: [
      {
        kind: "final",
        step: 0,
        promptTokenIds: [1, 2, 3],
        sampledTokenIds: [4, 5],
        rolloutLogprobs: [-0.5, -1],
        sampling: plainSampling,
        stopReason: "stop",
        policyVersion: 0,
      },
    ],
    answer: "42",
    memorySteps: [],
    startedAtMs: 1,
    endedAtMs: 2,
    actorId: "actor-1",
    droppedDocumentTokens: 0,
    ...fields,
  };
}

/** Returns the trajectory with arrays for its columns, so that it can be compared with a literal one. */
export function withArrays(trajectory: Trajectory): Trajectory {
  return {
    ...trajectory,
    conversations: trajectory.conversations.map(({ lossMask, sampledLogprobs, ...conversation }) => ({
      ...conversation,
      promptTokenIds: Array.from(conversation.promptTokenIds),
      sampledTokenIds: Array.from(conversation.sampledTokenIds),
      rolloutLogprobs: Array.from(conversation.rolloutLogprobs),
      ...(sampledLogprobs ? { sampledLogprobs: Array.from(sampledLogprobs) } : {}),
      ...(lossMask ? { lossMask: Array.from(lossMask) } : {}),
    })),
  };
}

/** Builds a trajectory that belongs to this episode. */
export function trajectoryOf(episode: Episode, fields: Partial<Trajectory> = {}): Trajectory {
  const { trajectoryId, groupId, taskId, episodeIndex, agent } = episode;
  return aTrajectory({ trajectoryId, groupId, taskId, episodeIndex, agent, ...fields });
}

/** Builds a request for a group, for tests. */
export function aGroupRequest(fields: Partial<GroupRequest> = {}): GroupRequest {
  return {
    groupId: "group-1",
    task: aTask(),
    groupSize: 4,
    agent: "memagent",
    seed: 7,
    minPolicyVersion: 0,
    step: 0,
    ...fields,
  };
}
