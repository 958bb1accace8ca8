import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locomoOptionsSchema, locomoTasks, readLocomoConversation } from "@palimpsest/datasets";
import { hashedEmbedder } from "@palimpsest/memory";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { type MemoryRecord, plainSampling, type Task } from "@palimpsest/trajectories";
import { createRandom } from "@palimpsest/trajectories/random";
import { describe, expect, it } from "vitest";
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

const people = ["Anna", "Boris", "Clara", "David", "Elena", "Frank", "Greta", "Henry"];
const verbs = ["bought", "lost", "painted", "repaired", "sold", "found", "borrowed", "hid"];
const things = ["bicycle", "violin", "kettle", "lantern", "carpet", "camera", "ladder", "canoe"];
/** Returns a place that no other fact has, so that no place is right by chance. */
const placeOf = (at: number) =>
  `${["Berg", "Tur", "Ly", "Port", "Gh", "Krak", "Malm", "Gr"][at % 8]}${"abcdefghijklmnopqrst"[Math.floor(at / 8)]}en`;

/** Makes a store of 160 dated facts, of which the question's own is missing in every other task. */
function generatedTask(index: number): Task {
  const random = createRandom(`reward-cheats/${index}`);
  const facts = random.shuffle(
    people.flatMap((person) => verbs.flatMap((verb) => things.map((thing) => ({ person, verb, thing })))),
  );
  const told = facts.slice(0, 160).map((fact, i) => ({ ...fact, place: placeOf(i) }));
  const records = told.map(
    ({ person, verb, thing, place }, i): MemoryRecord => ({
      id: `r${i}`,
      content: `${person} ${verb} an old ${thing} near the market of ${place} and told a friend about it.`,
      memoryType: "episodic",
      dialogueTime: `2023-0${1 + (i % 9)}-1${i % 10}`,
      speaker: person,
      provenance: [`D${1 + Math.floor(i / 20)}:${1 + (i % 20)}`],
      metadata: {},
    }),
  );
  const probe = (at: number, heldOut: boolean) => {
    const { person, verb, thing, place } = told[at] as (typeof told)[number];
    return { question: `Where was it that ${person} ${verb} the ${thing}?`, answers: [place], heldOut };
  };
  const probes = [probe(0, false), ...[40, 80, 120].map((at) => probe(at, true))];
  const { question, answers } = probe(0, false);
  return {
    id: `generated-${index}`,
    question,
    answers,
    document: "",
    metadata: {},
    records: index % 2 === 0 ? records : records.slice(1),
    probes,
  };
}

const readTask: Task = {
  id: "read",
  question: "Where did Anna sell the violin?",
  answers: ["Porto"],
  document: "",
  metadata: {},
};
const sections = [
  "Boris lost a ladder near Turin. Clara painted a canoe in Lyon.",
  "Anna sold the violin in Porto. David found a camera in Ghent.",
  "Elena hid a carpet in Graz. Frank repaired a kettle in Malmo.",
];
const capitals = (texts: readonly string[]) =>
  texts.flatMap((text) => text.match(/[A-Z]\w+/g) ?? []).join(" ");
/** What the memory is after each section, and the box at the end. */
const readers: Readonly<
  Record<string, { readonly memory: (read: readonly string[]) => string; readonly box: string }>
> = {
  concatenate: { memory: (read) => read.join(" "), box: sections.join(" ") },
  "parrot the section": { memory: (read) => read.at(-1) ?? "", box: sections[2] as string },
  "parrot the question": { memory: () => readTask.question, box: readTask.question },
  "list capitals": { memory: capitals, box: capitals(sections) },
  "delete all": { memory: () => "", box: "" },
};

function readEpisode({ memory, box }: (typeof readers)[string]) {
  const memorySteps = sections.map((section, at) => ({
    step: at,
    documentTokenStart: 16 * at,
    documentTokenEnd: 16 * (at + 1),
    memory: memory(sections.slice(0, at + 1)),
    recalled: "",
    section,
    reply: `<update>${memory(sections.slice(0, at + 1))}</update>`,
  }));
  const conversations = [...memorySteps.map(() => "memory" as const), "final" as const].map((kind, step) => ({
    kind,
    step,
    promptTokenIds: [1],
    sampledTokenIds: [2],
    rolloutLogprobs: [-1],
    sampling: plainSampling,
    stopReason: "stop" as const,
    policyVersion: 0,
  }));
  return { answer: `\\boxed{${box}}`, conversations, memorySteps };
}

describe("a reward that cannot be bought", () => {
  it("pays no scripted cheat for the answer of MemAgent and ReMemR1", async () => {
    const honest = { memory: () => "Anna sold the violin in Porto.", box: "Porto" };
    for (const name of ["boxed-exact-match", "rememr1"] as const) {
      const score = trajectoryReward(rewardConfigSchema.parse({ name }));
      expect((await score(readTask, readEpisode(honest))).reward).toBe(1);
      for (const [cheat, reader] of Object.entries(readers)) {
        const { reward, components } = await score(readTask, readEpisode(reader));
        expect(reward, `${name}: ${cheat}`).toBe(0);
        // What a memory gains it loses again, so that no cheat is paid for one answer more than once.
        if (name === "rememr1") expect(components["memoryGain"], cheat).toBeLessThanOrEqual(1);
      }
    }
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
    const asked = tasks.filter(({ metadata }) => metadata["split"] === "test").filter((_, i) => i % 16 === 0);
    await expectNoCheatToPay(asked, [
      "delete all",
      "concatenate all into 5, dealt out",
      "merge all in fives, two levels",
      "parrot the question and 3 records like it",
      "list days and capitals behind the question",
    ]);
  });
});
