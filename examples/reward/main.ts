// Scores three episodes with the reward of reward.ts, as a training run would: `reward: { module: ./reward.ts }`.
import reward from "./reward.js";

const task = { id: "t1", question: "what does ben like?", answers: ["figs"], document: "", metadata: {} };
const score = reward.create(reward.schema.parse({}), {});
const episodes = [
  ["ben likes figs", "figs"],
  ["ben likes figs and the sun and the moon", "figs"],
  ["rain and wind", "cats"],
] as const;
for (const [memory, answer] of episodes) {
  const memorySteps = [{ step: 1, documentTokenStart: 0, documentTokenEnd: 16, memory, recalled: "" }];
  const episode = { answer: `\\boxed{${answer}}`, memorySteps, conversations: [], counters: {} };
  const { reward: paid, components } = await score(task, episode);
  const bar = "█".repeat(Math.round(paid * 20)).padEnd(20, "░");
  console.log(`${bar} ${paid.toFixed(1)}  ${JSON.stringify(components)}  ${memory} → ${answer}`);
}
