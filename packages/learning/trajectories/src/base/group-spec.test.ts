import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aGroupRequest } from "../testing/builders.js";
import { episodeSeed, specOf, trajectoryIdOf } from "./group-spec.js";

describe("group request", () => {
  it("gives each episode of a group a seed of its own, always the same one (T6)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (seed) => {
        const seeds = Array.from({ length: 64 }, (_, index) => episodeSeed(seed, index));
        expect(new Set(seeds).size).toBe(64);
        expect(seeds.every((value) => Number.isInteger(value) && value >= 0 && value <= 0xffffffff)).toBe(
          true,
        );
      }),
      { seed: 1 },
    );
    expect([episodeSeed(7, 0), episodeSeed(7, 1), episodeSeed(8, 0)]).toMatchInlineSnapshot(`
      [
        588686121,
        1937383562,
        3829098881,
      ]
    `);
  });

  it("keeps the document out of the job data", () => {
    expect(specOf(aGroupRequest())).toEqual({
      groupId: "group-1",
      taskId: "task-1",
      groupSize: 4,
      agent: "memagent",
      seed: 7,
      minPolicyVersion: 0,
      step: 0,
    });
  });

  it("names trajectories after their group and place", () => {
    expect([0, 1].map((index) => trajectoryIdOf("g", index))).toEqual(["g.0", "g.1"]);
  });

  it.each([
    ["seed", { seed: -1 }],
    ["agent", { agent: "" }],
    ["step", { step: 0.5 }],
    ["minPolicyVersion", { minPolicyVersion: -1 }],
  ])("refuses a wrong %s by name", (field, change) => {
    expect(() => specOf(aGroupRequest(change))).toThrow(field);
  });
});
