/**
 * Tries scripted cheats on rewards, which must get no more than an honest agent that changes nothing: on MemUpdate's two
 * rewards over LoCoMo's questions and over generated stores, and on those of MemAgent and ReMemR1 over generated
 * documents. A cheat passes when the upper 95 % bound of its mean (one-sided; over conversations where there are any) is
 * at most the margin; one that has not passed by some of the questions is asked all of them. Prints tables, and fails if
 * one has not passed; with --json FILE it also writes the figures.
 * `npx tsx --conditions=@palimpsest/source bench/memupdate-reward.ts --input locomo10.json [--every 4] [--only REGEXP]`
 */
import { readFileSync } from "node:fs";
import { locomoOptionsSchema, locomoTasks, readLocomoConversation } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import type { Task } from "@palimpsest/trajectories";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";
import { generatedTask } from "./rewards/generated-stores.js";
import { answeringReaders, generatedReading, readEpisode, readerCheats } from "./rewards/reader-policies.js";
import { honestPolicies, type StorePolicy, storeCheats } from "./rewards/store-policies.js";

/** A twentieth of what the right answer pays on LoCoMo. */
const margin = 0.02;
const generatedCount = 64;

const values = benchFlags({ input: undefined, every: "4", only: ".", json: undefined });
if (values.input === undefined) throw new Error("--input: name LoCoMo's locomo10.json");
const every = Number(values.every);
const only = new RegExp(values.only);

const locomo = (JSON.parse(readFileSync(values.input, "utf8")) as unknown[]).flatMap((value) => {
  const read = readLocomoConversation(value);
  if ("reason" in read) throw new Error(`${read.reason}: ${read.detail}`);
  return locomoTasks(read.data, locomoOptionsSchema.parse({}), 1);
});
const some = locomo.filter((_, i) => i % every === 0);
const generated = Array.from({ length: generatedCount }, (_, index) => generatedTask(index));

/** Counts the words of the training questions' answers, of which the most common ones are used. */
const counts = new Map<string, number>();
for (const { answers, metadata } of locomo) {
  if (metadata["split"] !== "train") continue;
  for (const word of answers.join(" ").toLowerCase().split(/\s+/))
    counts.set(word, (counts.get(word) ?? 0) + 1);
}
const common = [...counts]
  .sort((a, b) => b[1] - a[1])
  .slice(0, 500)
  .map(([word]) => word)
  .join(" ");

interface Paid {
  readonly asked: number;
  readonly mean: number;
  /** The upper bound of the mean, one-sided, at 95 %. */
  readonly upper: number;
}

/** Student's t at 95 %, one-sided, by the number of clusters; about the normal value for many. */
const quantile = (clusters: number) => (clusters <= 10 ? 1.833 : 1.67);

/** Returns the mean, with a bound from the sums of its clusters, as questions about one conversation are not independent. */
function paidOf(rewards: readonly number[], clusterOf: (at: number) => string): Paid {
  const mean = rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
  const sums = new Map<string, number>();
  rewards.forEach((value, at) => {
    const cluster = clusterOf(at);
    sums.set(cluster, (sums.get(cluster) ?? 0) + value - mean);
  });
  const squares = [...sums.values()].reduce((total, sum) => total + sum * sum, 0);
  const error = Math.sqrt((sums.size / (sums.size - 1)) * squares) / rewards.length;
  return { asked: rewards.length, mean, upper: mean + quantile(sums.size) * error };
}

const embedder = hashedEmbedder();
const rewards = (["memupdate-released", "memupdate"] as const).map((name) =>
  trajectoryReward(rewardConfigSchema.parse({ name }), { embedder }),
);

/** Returns what each of the two rewards pays a policy. */
async function paid(tasks: readonly Task[], policy: StorePolicy): Promise<readonly Paid[]> {
  const scores: number[][] = rewards.map(() => []);
  for (const task of tasks) {
    const episode = {
      answer: "",
      conversations: [],
      memorySteps: [],
      storeDiff: await policy(task, embedder),
    };
    for (const [i, reward] of rewards.entries()) scores[i]?.push((await reward(task, episode)).reward);
  }
  const clusterOf = (at: number) => String(tasks[at]?.metadata["conversation"] ?? at);
  return scores.map((each) => paidOf(each, clusterOf));
}

const shown = (value: number | undefined) => (value ?? Number.NaN).toFixed(3).padStart(9);
const rounded = (value: number | undefined) => Math.round((value ?? Number.NaN) * 1e4) / 1e4;
const failed: string[] = [];

process.stdout.write(
  `${some.length} of LoCoMo's questions, ${generated.length} of generated stores: released, ours, upper bound; ours on generated stores, upper bound\n`,
);
const stores: object[] = [];
const cheats = storeCheats(common);
for (const [way, policy] of Object.entries({ ...honestPolicies, ...cheats })) {
  if (!only.test(way)) continue;
  let [released, ours] = await paid(some, policy);
  const [, made] = await paid(generated, policy);
  if (way in cheats && (ours?.upper ?? 1) > margin) [released, ours] = await paid(locomo, policy);
  if (way in cheats && Math.max(ours?.upper ?? 1, made?.upper ?? 1) > margin) failed.push(way);
  const figures = [released?.mean, ours?.mean, ours?.upper, made?.mean, made?.upper];
  process.stdout.write(`${way.padEnd(48)}${String(ours?.asked).padStart(5)}${figures.map(shown).join("")}\n`);
  const [releasedMean, mean, upper, generatedMean, generatedUpper] = figures.map(rounded);
  stores.push({
    ...{ way, asked: ours?.asked, released: releasedMean, memupdate: mean, upper },
    ...{ generated: generatedMean, generatedUpper },
  });
}

const readerRewards = {
  "boxed-exact-match": { name: "boxed-exact-match" },
  "boxed-f1": { name: "boxed-f1" },
  "boxed-contained-fraction": { name: "boxed-contained-fraction" },
  rememr1: { name: "rememr1", format: 0 },
  "rememr1, forgetting charged": { name: "rememr1", format: 0, forgetting: "charged" },
} as const;
const readings = Array.from({ length: generatedCount }, (_, index) => generatedReading(index));
process.stdout.write(
  `\n${readings.length} generated documents: ${Object.keys(readerRewards).join("; ")} (the sum over steps, without their form)\n`,
);
const readers: object[] = [];
for (const [way, policy] of Object.entries({ ...answeringReaders, ...readerCheats })) {
  const means: Record<string, number> = {};
  for (const [name, config] of Object.entries(readerRewards)) {
    const reward = trajectoryReward(rewardConfigSchema.parse(config));
    for (const reading of readings) {
      const score = await reward(reading.task, readEpisode(policy, reading));
      const value = score.stepRewards?.reduce((sum, each) => sum + each, 0) ?? score.reward;
      means[name] = (means[name] ?? 0) + value / readings.length;
    }
  }
  if (way in readerCheats && means["boxed-exact-match"] !== 0) failed.push(way);
  process.stdout.write(`${way.padEnd(48)}${Object.values(means).map(shown).join("")}\n`);
  readers.push({ way, ...Object.fromEntries(Object.entries(means).map(([name, v]) => [name, rounded(v)])) });
}

if (values.json !== undefined) {
  writeResult(values.json, { margin, generated: generated.length, stores, readers });
}
if (failed.length > 0) {
  process.stderr.write(`above the margin of ${margin}: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
