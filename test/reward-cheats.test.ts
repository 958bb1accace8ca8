import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { locomoOptionsSchema, locomoTasks, readLocomoConversation } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { rulerTasks } from "@palimpsest/small-world";
import { plainSampling, type Task } from "@palimpsest/trajectories";
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

  describe("for gates", () => {
    const tasks = rulerTasks({ count: 60, seed: "gates", sentences: 64, fillerFraction: 0.2 });
    const values = [...new Set(tasks.flatMap(({ answers }) => answers))];
    const fact = (text: string, task: Task) =>
      text.split(/(?<=\.)/).find((sentence) => sentence.trim() === String(task.metadata["evidence"]).trim());
    const boxOf = (memory: string) => ` \\boxed{${/(\w+)\.\s*$/.exec(memory)?.[1] ?? "none"}}`;

    /** What a reader replies to a section with a memory, and to the question in the end. */
    interface Reader {
      reply(section: string, memory: string, task: Task): string;
      answer?(memory: string, task: Task): string;
    }
    const honest: Reader = { reply: (section, memory, task) => fact(section, task) ?? memory };
    const gated: Reader = {
      reply: (section, _, task) =>
        fact(section, task) === undefined ? " same" : `${fact(section, task)} done`,
    };
    const guess: Reader = { reply: () => " same done", answer: () => ` \\boxed{${values[0]}}` };
    const gateCheats: Record<string, Reader> = {
      "always exit": { reply: (section, memory, task) => `${honest.reply(section, memory, task)} done` },
      "never write": { reply: () => " same" },
      "never write, exit where the answer is": {
        reply: (section, _, task) => (fact(section, task) === undefined ? " same" : " same done"),
      },
      "write always, what was read last": { reply: (section) => /[^.]+\.\s*$/.exec(section)?.[0] ?? "" },
      "write always, the question": { reply: (_, _memory, task) => task.question },
      "list all": { ...gated, answer: () => ` \\boxed{${values.join(" ")}}` },
      "list all and leave": { ...guess, answer: () => ` \\boxed{${values.join(", ")}}` },
      "answer nothing and leave": { ...guess, answer: () => "" },
    };

    async function meanOf(name: "gated" | "gated-published", reader: Reader): Promise<number> {
      const score = trajectoryReward(rewardConfigSchema.parse({ name }));
      let sum = 0;
      for (const task of tasks) {
        const tokenizer = wordTokenizer();
        const sampler = scriptedSampler({
          tokenizer,
          reply(prompt) {
            const [memory = "", section = ""] = prompt
              .split(/memory:|\nsection:|\nnew memory:|\nanswer:/)
              .slice(1);
            if (prompt.endsWith("answer:")) return (reader.answer ?? boxOf)(memory, task);
            return reader.reply(section, memory, task);
          },
        });
        const config = memAgentConfig("tiny", {
          memoryTokens: 16,
          finalTokens: 128,
          gates: { keep: "same", stop: "done" },
        });
        const episode = await memAgent({ sampler, tokenizer, config }).run(task);
        sum += (await score(task, { ...episode, memorySteps: episode.steps })).reward;
      }
      return sum / tasks.length;
    }

    it.each(["gated", "gated-published"] as const)(
      "%s: pays every cheat less than plain reading",
      async (name) => {
        const floor = await meanOf(name, honest);
        expect(await meanOf(name, gated)).toBeGreaterThan(floor + 0.05);
        for (const [cheat, reader] of Object.entries(gateCheats))
          expect(await meanOf(name, reader), cheat).toBeLessThan(floor - 0.3);
      },
    );

    it("gated: pays nothing that is not read more than a guess, whatever is saved", async () => {
      const floor = await meanOf("gated", guess);
      expect(floor).toBeLessThan(0.15);
      for (const cheat of ["never write", "write always, the question", "list all", "list all and leave"])
        expect(await meanOf("gated", gateCheats[cheat] as Reader), cheat).toBeLessThanOrEqual(floor);
    });

    it("gated-published: pays a step for writing exactly where the evidence is", async () => {
      const score = trajectoryReward(rewardConfigSchema.parse({ name: "gated-published" }));
      const task = {
        ...(tasks[0] as Task),
        document: "",
        metadata: { evidence: "b c", secondEvidence: " f." },
      };
      const steps = ["a b", " c d", " e", " f.", " g"].map((section, step) => ({
        ...{ step, section, memory: "m", recalled: "", documentTokenStart: step, documentTokenEnd: step + 1 },
        written: step < 2 || step === 4,
        exit: step === 4,
      }));
      const of = async (read: number, answer = task.answers[0]) => {
        const kinds = [...steps.slice(0, read).map(() => "memory" as const), "final" as const];
        const conversations = kinds.map((kind, step) => ({
          ...{ kind, step, promptTokenIds: [1], sampledTokenIds: [2], sampling: plainSampling },
          ...{ stopReason: "stop" as const, policyVersion: 0 },
        }));
        const memorySteps = steps.slice(0, read);
        return await score(task, { answer: `\\boxed{${answer}}`, conversations, memorySteps });
      };
      expect(await of(5)).toMatchObject({ reward: 1.5, stepRewards: [1, 1, 1, -1, -1, 0] });
      expect(await of(4)).toMatchObject({ reward: 2, components: { exit: 0, rightWrites: 0.75 } });
      expect(await of(3, "x")).toMatchObject({ reward: 0.25, components: { exit: -0.75 } });
    });
  });
});
