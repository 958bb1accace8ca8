// A reward of your own: one number for an episode, higher for better.
import { boxedAnswer, defineReward, z } from "@palimpsest/rewards";

export default defineReward({
  /** What a recipe may set under `reward.settings`. */
  settings: z.strictObject({
    noted: z.number().min(0).default(0.25).describe("paid where the last note holds the answer"),
  }),

  score(task, episode, { settings }) {
    const answer = boxedAnswer(episode.answer);
    const right = task.answers.some((wanted) => wanted === answer) ? 1 : 0;
    const lastNote = episode.memorySteps.at(-1)?.memory ?? "";
    const noted = task.answers.some((wanted) => lastNote.includes(wanted)) ? 1 : 0;
    // The learner goes by `reward`; components are shown in reports, one curve each.
    return { reward: right + settings.noted * noted, components: { right, noted } };
  },
});
