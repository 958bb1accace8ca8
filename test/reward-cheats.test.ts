import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locomoOptionsSchema, locomoTasks, readLocomoConversation } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { generatedTask } from "../bench/rewards/generated-stores.js";
import {
  answeringReaders,
  generatedReading,
  type ReaderPolicy,
  readEpisode,
  readerCheats,
} from "../bench/rewards/reader-policies.js";
import { honestPolicies, type StorePolicy, storeCheats } from "../bench/rewards/store-policies.js";

const shared = process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../shared", import.meta.url));
const locomo = `${shared}/data/locomo/locomo10.json`;
const present = existsSync(locomo);
if (!present) process.stdout.write(`skipped: no conversations in ${locomo}\n`);

const cheats = storeCheats("yes no likely 2022 2023 may june green city home dog art music family park");
const embedder = hashedEmbedder();
const reward = trajectoryReward(rewardConfigSchema.parse({ name: "memupdate" }), { embedder });

async function meanReward(tasks: readonly Task[], policy: StorePolicy): Promise<number> {
  let sum = 0;
  for (const task of tasks) {
    const storeDiff = await policy(task, embedder);
    sum += (await reward(task, { answer: "", conversations: [], memorySteps: [], storeDiff })).reward;
  }
  return sum / tasks.length;
}

async function expectNoCheatToPay(tasks: readonly Task[], names = Object.keys(cheats)): Promise<void> {
  const right = honestPolicies["write the question with its right answer"] as StorePolicy;
  expect(await meanReward(tasks, right)).toBeGreaterThan(0.1);
  for (const name of names)
    expect(await meanReward(tasks, cheats[name] as StorePolicy), name).toBeLessThanOrEqual(0);
}

describe("a reward that cannot be bought", () => {
  it("pays no scripted cheat for the answer of MemAgent and ReMemR1", async () => {
    const reading = generatedReading(1);
    for (const name of ["boxed-exact-match", "rememr1"] as const) {
      const score = trajectoryReward(rewardConfigSchema.parse({ name }));
      for (const [answering, reader] of Object.entries(answeringReaders))
        expect((await score(reading.task, readEpisode(reader, reading))).reward, answering).toBe(1);
      for (const [cheat, reader] of Object.entries(readerCheats)) {
        const { reward, components } = await score(reading.task, readEpisode(reader, reading));
        expect(reward, `${name}: ${cheat}`).toBe(0);
        // What a memory gains it loses again, so that no cheat is paid for one answer more than once.
        if (name === "rememr1") expect(components["memoryGain"], cheat).toBeLessThanOrEqual(1);
      }
    }
  });

  it("pays ReMemR1's steps once for an answer that is forgotten and recalled, if forgetting is charged", async () => {
    const reading = generatedReading(1);
    const steps = async (forgetting: "free" | "charged", reader: ReaderPolicy) => {
      const config = rewardConfigSchema.parse({ name: "rememr1", format: 0, forgetting });
      const { stepRewards = [] } = await trajectoryReward(config)(reading.task, readEpisode(reader, reading));
      return stepRewards.reduce((sum, value) => sum + value, 0);
    };
    const [keeps, forgets] = Object.values(answeringReaders) as [ReaderPolicy, ReaderPolicy];
    expect(await steps("free", keeps)).toBe(1);
    expect(await steps("free", forgets)).toBeGreaterThan(3);
    for (const reader of [keeps, forgets, ...Object.values(readerCheats)])
      expect(await steps("charged", reader)).toBeLessThanOrEqual(1);
  });

  it("pays no scripted cheat on generated stores", async () => {
    await expectNoCheatToPay(Array.from({ length: 4 }, (_, index) => generatedTask(index)));
  });

  it.skipIf(!present)("pays no scripted cheat on LoCoMo", async () => {
    const tasks = (JSON.parse(readFileSync(locomo, "utf8")) as unknown[]).flatMap((value) => {
      const read = readLocomoConversation(value);
      if ("reason" in read) throw new Error(`${read.reason}: ${read.detail}`);
      return locomoTasks(read.data, locomoOptionsSchema.parse({}), 1);
    });
    const asked = tasks.filter((_, i) => i % 60 === 0);
    await expectNoCheatToPay(asked, [
      "delete all",
      "concatenate all into 5, dealt out",
      "merge all in fives, two levels",
      "leave out every speaker",
      "parrot the question and 3 records like it",
      "list days and capitals behind the question",
    ]);
  });
});
