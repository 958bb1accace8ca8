import type { Group } from "@palimpsest/memory/records";
import { expect, it } from "vitest";
import { decodeStepDump, encodeStepDump } from "./step-dump.js";

const group: Group = {
  groupId: "g",
  taskId: "t",
  groupSize: 3,
  members: [0, 1].map((episodeIndex) => ({
    trajectory: {
      trajectoryId: `g-${episodeIndex}`,
      groupId: "g",
      taskId: "t",
      episodeIndex,
      agent: "memagent",
      policyVersionMin: 4,
      policyVersionMax: 4,
      weightsHash: "h",
      conversations: [
        {
          kind: "final",
          step: 0,
          promptTokenIds: [1, 2],
          sampledTokenIds: [3, 4],
          rolloutLogprobs: [-0.5, -1.25],
          sampledLogprobs: [-0.25, -1],
          sampling: { temperature: 0.6, topP: 0.9, topK: 20, minP: 0.05 },
          lossMask: [0, 1],
          stopReason: "length",
          policyVersion: 4,
        },
      ],
      answer: "x",
      memorySteps: [],
      startedAtMs: 1,
      endedAtMs: 2,
      actorId: "a",
      droppedDocumentTokens: 0,
    },
    score: { reward: 0.1, components: { f1: 0.1 }, stepRewards: [0.25] },
  })),
};

it("gives back what it was given, numbers at their width", () => {
  const dump = { policyVersion: 4, shuffleRewards: true, groups: [group] };
  expect(decodeStepDump(encodeStepDump(dump))).toEqual(dump);
});

it("refuses bytes that are no dump and groups that do not hold together", () => {
  expect(() => decodeStepDump(Uint8Array.of(255, 1, 2))).toThrow(/not a step dump/);
  const member = group.members[0];
  if (member === undefined) throw new Error("no member");
  const broken = { ...group, members: [{ ...member, score: { reward: Number.NaN, components: {} } }] };
  expect(() => encodeStepDump({ policyVersion: 1, shuffleRewards: false, groups: [broken] })).toThrow(
    /reward/,
  );
});
