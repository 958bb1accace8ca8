import { expect, test } from "vitest";
import { z } from "zod";
import { defineReward, type ScoredEpisode } from "./index.js";

const task = { id: "t1", question: "q", answers: ["a"], document: "d", metadata: {} };
const episode = { answer: "a", memorySteps: [], conversations: [], counters: {} } as unknown as ScoredEpisode;

const scoreOf = async (given: unknown) => {
  // What a module returns need not have the type that it says.
  const kind = defineReward({ settings: z.strictObject({}), score: () => given as number });
  return await kind.create({}, {})(task, { ...episode, conversations: [{}, {}] } as unknown as ScoredEpisode);
};

test.each<[unknown, RegExp]>([
  [undefined, /returned undefined for task t1; return a finite number/],
  [null, /returned null/],
  [1n, /returned 1n/],
  ["1", /returned '1'/],
  [{}, /a reward of undefined/],
  [{ reward: "1" }, /a reward of '1'/],
  [{ reward: 1, components: { a: Number.NaN } }, /components\.a of NaN for task t1; return a finite number/],
  [{ reward: 1, components: { a: "x" } }, /components\.a of 'x'/],
  [{ reward: 1, components: { a: undefined } }, /components\.a of undefined/],
  [{ reward: 1, components: [1] }, /components of \[ 1 \].*numbers by name/],
  [{ reward: 1, stepRewards: [1] }, /1 stepRewards for 2 conversations/],
  [{ reward: 1, stepRewards: [1, Number.NaN] }, /stepRewards\[1\] of NaN/],
  [{ reward: 1, stepRewards: [1, "1"] }, /stepRewards\[1\] of '1'/],
  [{ reward: 1, stepRewards: "11" }, /stepRewards of '11'/],
  [
    { reward: 1, stepreward: [1, 2] },
    /the field stepreward of \[ 1, 2 \].*fields reward, components, stepRewards/,
  ],
])("a score is checked whole: %o", async (given, message) => {
  await expect(scoreOf(given)).rejects.toThrow(message);
  await expect(scoreOf(given)).rejects.toMatchObject({ code: "BAD_REPLY" });
});

test("a score may be a number, and leave out components and step rewards", async () => {
  expect(await scoreOf(0.5)).toEqual({ reward: 0.5, components: {} });
  expect(await scoreOf({ reward: 1 })).toEqual({ reward: 1, components: {} });
  const whole = { reward: 1, components: { a: 2 }, stepRewards: [1, 2] };
  expect(await scoreOf(whole)).toEqual(whole);
});

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [{ reward: Number.NaN, components: {} }]])(
  "a reward that is no finite number is a failure that names the module: %s",
  async (given) => {
    const kind = defineReward({ settings: z.strictObject({}), score: () => given });
    const reward = kind.create({}, {});
    await expect(async () => reward(task, episode)).rejects.toThrow(
      /reward\.module: score returned .* for task t1; return a finite number, or throw/,
    );
  },
);
