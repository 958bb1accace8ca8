import { boxedAnswer, defineReward, z } from "@palimpsest/rewards";

/** Pays for a right answer, less for each note that is longer than it needs to be. */
export default defineReward({
  settings: z.strictObject({ freeWords: z.int().default(4), perWord: z.number().default(0.1) }),
  score(task, episode, { settings }) {
    const right = task.answers.includes(boxedAnswer(episode.answer) ?? "") ? 1 : 0;
    const words = episode.memorySteps.map(({ memory }) => memory.trim().split(/\s+/).length);
    const long = Math.max(0, ...words.map((count) => count - settings.freeWords));
    return { reward: Math.max(0, right - settings.perWord * long), components: { right, long } };
  },
});
