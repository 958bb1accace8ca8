import { expect, it } from "vitest";
import { AdvantageConfig, OverlongConfig } from "../config/loss-config.js";
import { aConversation, aMember } from "../learner/groups.fixture.js";
import { isOverlong, overlongPenalty } from "./overlong.js";
import { rowsFromGroups } from "./rows.js";

const saying = (tokens: number, stopReason: "stop" | "length" = "stop", step = 0) =>
  aConversation({ step, stopReason, sampledTokenIds: Array.from({ length: tokens }, () => 5) });
const trajectoryOf = (conversations: Parameters<typeof aMember>[0]["conversations"]) =>
  aMember({ ...(conversations === undefined ? {} : { conversations }) }).trajectory;

it("mask: a trajectory that a limit cut leaves the loss, its reward stays in the group's mean", () => {
  const mask = OverlongConfig.parse({ kind: "mask" });
  const cut = trajectoryOf([saying(2, "stop"), saying(2, "length", 1)]);
  const memoryCut = trajectoryOf([saying(2, "length"), saying(2, "stop", 1)]);
  expect([isOverlong(cut, mask), isOverlong(memoryCut, mask)]).toEqual([true, false]);
  expect(isOverlong(memoryCut, OverlongConfig.parse({ kind: "mask", of: "any" }))).toBe(true);
  const group = {
    groupId: "g",
    taskId: "t",
    groupSize: 3,
    members: [
      aMember({ episodeIndex: 0, reward: 1 }),
      aMember({ episodeIndex: 1, reward: 0 }),
      aMember({ episodeIndex: 2, reward: 0.5, conversations: [saying(2, "length")] }),
    ],
  };
  const advantage = AdvantageConfig.parse({ kind: "drgrpo" });
  const batch = rowsFromGroups([group], { advantage }, { overlong: mask });
  expect(batch.rows.map((row) => [row.trajectoryId, row.advantage])).toEqual([
    ["g-0", 0.5],
    ["g-1", -0.5],
  ]);
  expect([batch.overlongTrajectories, batch.emptyConversations]).toEqual([1, 0]);
});

it("penalty: grows linearly through the buffer, as DAPO's soft overlong punishment", () => {
  const config = OverlongConfig.parse({ kind: "penalty", maxTokens: 10, bufferTokens: 4, factor: 2 });
  const of = (tokens: number) => overlongPenalty(trajectoryOf([saying(tokens)]), config);
  expect([of(3), of(6), of(8), of(10), of(12)]).toEqual([0, 0, 1, 2, 2]);
  const long = trajectoryOf([saying(12), saying(3, "stop", 1)]);
  expect(overlongPenalty(long, config)).toBe(0);
  expect(overlongPenalty(long, { ...config, of: "any" } as OverlongConfig)).toBe(2);
  const group = {
    groupId: "g",
    taskId: "t",
    groupSize: 2,
    members: [
      aMember({ episodeIndex: 0, reward: 1, conversations: [saying(8)] }),
      aMember({ episodeIndex: 1, reward: 1, conversations: [saying(3)] }),
    ],
  };
  const advantage = AdvantageConfig.parse({ kind: "drgrpo" });
  const batch = rowsFromGroups([group], { advantage }, { overlong: config });
  expect(batch.rows.map((row) => row.advantage)).toEqual([-0.5, 0.5]);
});
