import { expect, test } from "vitest";
import { z } from "zod";
import { defineReward, type ScoredEpisode } from "./index.js";

const task = { id: "t1", question: "q", answers: ["a"], document: "d", metadata: {} };
const episode = { answer: "a", memorySteps: [], conversations: [], counters: {} } as unknown as ScoredEpisode;

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
