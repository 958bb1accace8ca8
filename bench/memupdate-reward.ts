/**
 * Compares what MemUpdate's two rewards pay for scripted ways of changing a store, on LoCoMo's test questions: cheats,
 * which must get nothing, and what an honest agent does. Prints a table; with --json FILE it also writes the figures.
 * `npx tsx --conditions=@palimpsest/source bench/memupdate-reward.ts --input locomo10.json [--every 4]`
 */
import { readFileSync } from "node:fs";
import { locomoOptionsSchema, locomoTasks, readLocomoConversation } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";
import { honestPolicies, storeCheats } from "./rewards/store-policies.js";

const values = benchFlags({ input: undefined, every: "4", json: undefined });
if (values.input === undefined) throw new Error("--input: name LoCoMo's locomo10.json");

const options = locomoOptionsSchema.parse({});
const tasks = (JSON.parse(readFileSync(values.input, "utf8")) as unknown[]).flatMap((value) => {
  const read = readLocomoConversation(value);
  if ("reason" in read) throw new Error(`${read.reason}: ${read.detail}`);
  return locomoTasks(read.data, options, 1);
});
const every = Number(values.every);
const asked = tasks.filter(({ metadata }) => metadata["split"] === "test").filter((_, i) => i % every === 0);

/** Counts the words of the training questions' answers, of which the most common ones are used. */
const counts = new Map<string, number>();
for (const { answers, metadata } of tasks) {
  if (metadata["split"] !== "train") continue;
  for (const word of answers.join(" ").toLowerCase().split(/\s+/))
    counts.set(word, (counts.get(word) ?? 0) + 1);
}
const common = [...counts]
  .sort((a, b) => b[1] - a[1])
  .slice(0, 500)
  .map(([word]) => word)
  .join(" ");

const rewards = (["memupdate-released", "memupdate"] as const).map((name) => ({
  name,
  reward: trajectoryReward(rewardConfigSchema.parse({ name })),
}));
const embedder = hashedEmbedder();
process.stdout.write(`${asked.length} test questions of LoCoMo, store of observations\n`);
const rows: { way: string; means: Record<string, number> }[] = [];
for (const [way, change] of Object.entries({ ...honestPolicies, ...storeCheats(common) })) {
  const means: Record<string, number> = {};
  for (const task of asked) {
    const storeDiff = await change(task, embedder);
    const episode = { answer: "", conversations: [], memorySteps: [], storeDiff };
    for (const { name, reward } of rewards) {
      const score = await reward(task, episode);
      means[name] = (means[name] ?? 0) + score.reward / asked.length;
    }
  }
  rows.push({ way, means });
  const figures = rewards.map(({ name }) => (means[name] ?? 0).toFixed(3).padStart(8));
  process.stdout.write(`${way.padEnd(48)}${figures.join("")}\n`);
}
if (values.json !== undefined) {
  writeResult(values.json, { questions: asked.length, rewards: rows });
}
