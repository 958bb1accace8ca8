import { describe, expect, it } from "vitest";
import { AdvantageConfig } from "../config/loss-config.js";
import { createRandom } from "../config/random.js";
import { aConversation, aGroup, aMember } from "../learner/groups.fixture.js";
import { rowsFromGroups } from "./rows.js";

const drgrpo = { advantage: AdvantageConfig.parse({ kind: "drgrpo" }) };

describe("rowsFromGroups", () => {
  it("gives every conversation of a trajectory the trajectory's advantage", () => {
    const conversations = [0, 1, 2].map((step) =>
      aConversation({ step, kind: step === 2 ? "final" : "memory" }),
    );
    const { rows } = rowsFromGroups([aGroup("g", [1, 0], conversations)], drgrpo);
    expect(rows.map((row) => [row.trajectoryId, row.step, row.advantage])).toEqual([
      ["g-0", 0, 0.5],
      ["g-0", 1, 0.5],
      ["g-0", 2, 0.5],
      ["g-1", 0, -0.5],
      ["g-1", 1, -0.5],
      ["g-1", 2, -0.5],
    ]);
  });

  it("lays prompt and response out in one row and masks the prompt", () => {
    const conversation = aConversation({
      promptTokenIds: [1, 2],
      sampledTokenIds: [7, 8],
      rolloutLogprobs: [-3, -4],
    });
    const [row] = rowsFromGroups([aGroup("g", [1, 0], [conversation])], drgrpo).rows;
    expect([...(row?.tokenIds ?? [])]).toEqual([1, 2, 7, 8]);
    expect([...(row?.rolloutLogprobs ?? [])]).toEqual([0, 0, -3, -4]);
    expect([...(row?.lossMask ?? [])]).toEqual([0, 0, 1, 1]);
  });

  it("takes what was drawn from where that is not the model's own distribution", () => {
    const sampling = { temperature: 0.6, topP: 1, topK: 0, minP: 0 };
    const conversation = aConversation({ rolloutLogprobs: [-3, -4], sampledLogprobs: [-1, -2], sampling });
    const [row] = rowsFromGroups([aGroup("g", [1, 0], [conversation])], drgrpo).rows;
    expect([...(row?.rolloutLogprobs ?? [])]).toEqual([0, 0, 0, -1, -2]);
    expect(row).toMatchObject({ temperature: 0.6, truncated: false });
    const empty = aConversation({ sampledTokenIds: [], sampling: { ...sampling, temperature: 0 } });
    expect(rowsFromGroups([aGroup("g", [1, 0], [empty])], drgrpo).emptyConversations).toBe(2);
    const short = aConversation({ sampledLogprobs: [-1], sampling });
    expect(() => rowsFromGroups([aGroup("g", [1, 0], [short])], drgrpo)).toThrow(/1 sampledLogprobs for 2/);
  });

  it("drops what the agent masked, whatever log-probability stands there", () => {
    const conversation = aConversation({ lossMask: [0, 1], rolloutLogprobs: [Number.NaN, -2] });
    const [row] = rowsFromGroups([aGroup("g", [1, 0], [conversation])], drgrpo).rows;
    expect([...(row?.lossMask ?? [])]).toEqual([0, 0, 0, 0, 1]);
    expect([...(row?.rolloutLogprobs ?? [])]).toEqual([0, 0, 0, 0, -2]);
  });

  it("counts conversations with nothing to train and makes no row of them", () => {
    const conversations = [
      aConversation({ sampledTokenIds: [], stopReason: "abort" }),
      aConversation({ step: 1 }),
    ];
    const batch = rowsFromGroups([aGroup("g", [1, 0], conversations)], drgrpo);
    expect(batch.rows).toHaveLength(2);
    expect(batch.emptyConversations).toBe(2);
  });

  it("does not depend on the order of groups and members", () => {
    const a = aGroup("a", [1, 0, 0]);
    const b = aGroup("b", [0, 1]);
    const turned = [b, { ...a, members: [...a.members].reverse() }];
    expect(rowsFromGroups(turned, drgrpo).rows).toEqual(rowsFromGroups([a, b], drgrpo).rows);
  });

  it("deals rewards anew within each group when shuffled, keeping the group's rewards", () => {
    const groups = ["a", "b", "c", "d"].map((id) => aGroup(id, [1, 0.5, 0.25, 0]));
    const shuffled = rowsFromGroups(groups, drgrpo, { shuffle: createRandom(1) });
    const rewards = (id: string) =>
      shuffled.members.filter((m) => m.trajectory.groupId === id).map((m) => m.score.reward);
    for (const id of ["a", "b", "c", "d"]) expect([...rewards(id)].sort()).toEqual([0, 0.25, 0.5, 1]);
    expect(["a", "b", "c", "d"].map(rewards)).not.toEqual(Array(4).fill([1, 0.5, 0.25, 0]));
    const again = rowsFromGroups(groups, drgrpo, { shuffle: createRandom(1) });
    expect(again.rows).toEqual(shuffled.rows);
  });

  it("refuses a group given twice, a group of one and a stray member", () => {
    expect(() => rowsFromGroups([aGroup("g", [1, 0]), aGroup("g", [1, 0])], drgrpo)).toThrow(/occurs twice/);
    expect(() => rowsFromGroups([{ ...aGroup("g", [1]), groupSize: 1 }], drgrpo)).toThrow(/groupSize is 1/);
    const stray = { ...aGroup("g", [1, 0]), members: [aMember({ groupId: "other" })] };
    expect(() => rowsFromGroups([stray], drgrpo)).toThrow(/whose groupId is other/);
  });

  it("refuses conversations whose arrays do not fit, naming trajectory and conversation", () => {
    const refuse = (overrides: Parameters<typeof aConversation>[0], pattern: RegExp) =>
      expect(() => rowsFromGroups([aGroup("g", [1, 0], [aConversation(overrides)])], drgrpo)).toThrow(
        pattern,
      );
    refuse({ rolloutLogprobs: [-1] }, /g-0, conversation 0: 1 rolloutLogprobs for 2/);
    refuse({ lossMask: [1] }, /lossMask has 1 entries for 2/);
    refuse({ promptTokenIds: [] }, /the prompt is empty/);
    refuse({ rolloutLogprobs: [-1, Number.NaN] }, /rolloutLogprobs\[1\] is NaN/);
  });
});
