import { hashedEmbedder, MemoryStore, memoryTools } from "@palimpsest/memory";
import type { Probe } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import {
  type RewardConfigInput,
  type RewardDependencies,
  rewardConfigSchema,
  storeAfter,
  type TextModel,
  trajectoryReward,
} from "../index.js";
import { anEpisode, aRecord, aTask } from "../scored-episode.fixture.js";
import { bestSpanF1 } from "./best-span.js";
import { memoryLine, plainDate } from "./memory-line.js";
import { retrievalBudget, retrievedLines } from "./retrieved-lines.js";
import { writtenSupport } from "./support.js";

const old = [
  aRecord("m1", "Ann adopted a dog", { provenance: ["D1:1"] }),
  aRecord("m2", "Ben likes green tea", { provenance: ["D1:2"] }),
  aRecord("m3", "Ann moved to the city of Oslo in May", { provenance: ["D2:4"] }),
];
const aProbe = (question: string, answer: string | null, more: Partial<Probe> = {}): Probe => ({
  question,
  answers: answer === null ? [] : [answer],
  heldOut: false,
  ...more,
});
type Episode = ReturnType<typeof anEpisode>;
type Task = ReturnType<typeof aTask>;
const score = async (
  settings: Omit<Extract<RewardConfigInput, { name: "memupdate" }>, "name">,
  task: Task,
  episode: Episode,
  dependencies?: RewardDependencies,
) =>
  await trajectoryReward(rewardConfigSchema.parse({ name: "memupdate", ...settings }), dependencies)(
    task,
    episode,
  );

describe("storeAfter", () => {
  it("keeps places, and puts what is new at the end", () => {
    const diff = { created: [aRecord("n", "new")], updated: [aRecord("m2", "changed")], deleted: ["m1"] };
    expect(storeAfter(old, diff).map(({ content }) => content)).toEqual([
      "changed",
      "Ann moved to the city of Oslo in May",
      "new",
    ]);
  });
});

describe("bestSpanF1", () => {
  const limits = { maxWords: 24, fullWords: 40 };

  it("finds what a perfect reader would quote, within its length", () => {
    const lines = ["Ben: I went to the old harbour of Bergen on Sunday", "Ann: nothing"];
    expect(bestSpanF1(lines, "single-hop", "harbour of Bergen", limits)).toBe(1);
    expect(bestSpanF1(lines, "single-hop", "old Bergen", limits)).toBeCloseTo(2 / 3, 12);
    expect(bestSpanF1(lines, "single-hop", "old Bergen", { ...limits, maxWords: 4 })).toBeCloseTo(2 / 3, 12);
    expect(bestSpanF1(lines, "single-hop", "Oslo", limits)).toBe(0);
    expect(bestSpanF1(lines, "multi-hop", "Bergen, tea", limits)).toBe(0.5);
    expect(bestSpanF1([], "temporal", "May", limits)).toBe(0);
  });

  it("prices what stands in a list by the list's length, however it is punctuated", () => {
    const names = Array.from({ length: 79 }, (_, i) => `Name${i}`);
    for (const separator of [" ", ", ", ". ", "\n"]) {
      const list = [...names, "Bergen"].join(separator);
      expect(bestSpanF1([list], "single-hop", "Bergen", limits), separator).toBeCloseTo(0.5, 12);
    }
    const sentences = names.map((name) => `${name} is what somebody said.`).join(" ");
    expect(bestSpanF1([`${sentences} Ben went to see Bergen.`], "single-hop", "Bergen", limits)).toBe(1);
  });
});

describe("retrievedLines", () => {
  it("fills its tokens with the best records, and cuts the last behind a whole word", async () => {
    const store = await MemoryStore.of(old, hashedEmbedder());
    const lines = (mostTokens: number) =>
      retrievedLines(store, "Where did Ann move to in May?", {
        mostTokens,
        labelTokens: 0,
        denseWeight: 0.2,
      });
    expect(await lines(9)).toEqual(["Ann moved to the city of Oslo in May"]);
    expect(await lines(5)).toEqual(["Ann moved to the"]);
    expect((await lines(11)).slice(1)).toEqual(["Ann"]);
    expect(await lines(1000)).toHaveLength(2);
    expect(retrievalBudget(old)).toEqual({ mostTokens: Math.ceil((5 * (5 + 5 + 9)) / 3), labelTokens: 0 });
    expect(retrievalBudget([])).toEqual({ mostTokens: 160, labelTokens: 0 });
  });

  it("makes no room for more where dates and speakers are left out", async () => {
    const told = old.map((record) => ({ ...record, speaker: "Somebody", dialogueTime: "2023-05-08" }));
    const budget = retrievalBudget(told);
    expect(budget.labelTokens).toBeCloseTo(6, 0);
    const contents = async (records: typeof old) => {
      const store = await MemoryStore.of(records, hashedEmbedder());
      const limits = { ...budget, mostTokens: 16, denseWeight: 0.2 };
      return (await retrievedLines(store, "Where did Ann move to in May?", limits)).map((line) =>
        line.replace(/^.*: /, ""),
      );
    };
    expect(await contents(told)).toEqual(await contents(old));
  });

  it("cuts scripts without spaces by characters", async () => {
    const store = await MemoryStore.of(
      [aRecord("m1", "安娜春天搬到了里斯本，她在那里教书。")],
      hashedEmbedder(),
    );
    const lines = (mostTokens: number) =>
      retrievedLines(store, "安娜搬到了哪里？", { mostTokens, labelTokens: 0, denseWeight: 0.2 });
    expect(await lines(4)).toEqual(["安娜春天搬"]);
    expect(await lines(9)).toEqual(["安娜春天搬到了里斯本，她"]);
  });
});

describe("memoryLine", () => {
  it("says when and who", () => {
    expect(memoryLine(aRecord("m", "hi", { speaker: "Ann", dialogueTime: "2023-05-08T13:56" }))).toBe(
      "[8 May 2023] Ann: hi",
    );
    expect([plainDate("2023-05"), plainDate("2023"), plainDate("soon")]).toEqual([
      "May 2023",
      "2023",
      "soon",
    ]);
  });
});

describe("writtenSupport", () => {
  const created = (record: ReturnType<typeof aRecord>) =>
    writtenSupport(old, { created: [record], updated: [], deleted: [] });

  it("finds a written word in its sources, or without sources in the store as it was", () => {
    expect(created(aRecord("n", "Ann's dog lives in Oslo")).unsupported).toBeCloseTo(1 / 5, 12);
    expect(created(aRecord("n", "Ann adopted dogs")).unsupported).toBe(0);
    expect(created(aRecord("n", "Ann moved to Oslo", { provenance: ["m3"] })).unsupported).toBe(0);
    expect(created(aRecord("n", "Ann moved to Oslo", { provenance: ["D2:4", "m1"] })).unsupported).toBe(0);
    expect(created(aRecord("n", "green tea", { provenance: ["m1"] })).unsupported).toBe(1);
  });

  it("takes a record for unsupported that names a source which there is not", () => {
    expect(created(aRecord("n", "Ann adopted a dog", { provenance: ["m9"] }))).toEqual({
      written: 1,
      unsupported: 1,
      unknownSources: 1,
    });
  });

  it("wants a source's sentence behind a word, and not only the word somewhere", () => {
    const many = Array.from({ length: 30 }, (_, i) =>
      aRecord(`m${i}`, `Person${i} went to Town${i} by train. Then Person${i} bought Thing${i} there.`),
    );
    const listOf = (word: string) =>
      writtenSupport(many, {
        created: [aRecord("n", many.map((_, i) => `${word}${i}`).join(" "))],
        updated: [],
        deleted: [],
      });
    expect(listOf("Town").unsupported).toBe(1);
    const copied = many.map(({ content }) => content).join(" ");
    const copy = writtenSupport(many, { created: [aRecord("n", copied)], updated: [], deleted: [] });
    expect(copy.unsupported).toBe(0);
  });

  it("lets an update say what the record said before", () => {
    const updated = [aRecord("m2", "Ben likes tea", { provenance: ["D1:2"] })];
    expect(writtenSupport(old, { created: [], updated, deleted: [] }).unsupported).toBe(0);
    expect(writtenSupport(old, { created: [], updated: [], deleted: ["m1"] }).written).toBe(0);
  });
});

describe("reward memupdate", () => {
  const task = aTask({
    records: old,
    probes: [
      aProbe("Where does Ann live?", "Oslo"),
      aProbe("What does Ben like?", "green tea", { heldOut: true }),
    ],
  });

  it("is 0 where nothing changed and no call went wrong", async () => {
    const { reward, components } = await score({}, task, anEpisode({}));
    expect(reward).toBe(0);
    expect(components).toMatchObject({ shownOld: 1, shownNew: 1, heldOutOld: 1, initial_memory_count: 3 });
  });

  it("snapshots old and new store apart, so that what was lost and what was gained both show", async () => {
    const lost = await score({ efficiency: "none" }, task, anEpisode({ deleted: ["m2"] }));
    expect(lost.components).toMatchObject({ shownGain: 0, heldOutOld: 1, heldOutNew: 0, heldOutGain: -1 });
    expect(lost.reward).toBe(-1);
    const empty = aTask({ records: old.slice(0, 2), probes: [aProbe("Where does Ann live now?", "Oslo")] });
    const won = await score(
      { efficiency: "none", weights: { unsupported: 0 } },
      empty,
      anEpisode({ created: [aRecord("n", "Ann does live in Oslo now")] }),
    );
    expect(won.components).toMatchObject({ shownOld: 0, shownNew: 1 });
    expect(won.reward).toBe(1);
  });

  it("multiplies gains by efficiency, and damage only where it should be as in the original", async () => {
    const episode = anEpisode({ deleted: ["m2"] });
    const gains = await score({ maxTotalMemories: 1, weights: { shown: 0 } }, task, episode);
    expect(gains.reward).toBe(-1);
    const all = await score({ maxTotalMemories: 1, efficiency: "all", weights: { shown: 0 } }, task, episode);
    expect(all.components["efficiency"]).toBeCloseTo(0.1, 12);
    expect(all.reward).toBeCloseTo(-0.1, 12);
  });

  it("pays no gain above the token budget, and takes off the excess", async () => {
    const empty = aTask({ records: [], probes: [aProbe("Where does Ann live?", "Oslo")] });
    const created = [aRecord("n", `Ann lives in Oslo ${"x ".repeat(200)}`)];
    const { components, reward } = await score(
      { budgetTokens: 52, efficiency: "none", weights: { unsupported: 0 } },
      empty,
      anEpisode({ created }),
    );
    expect(components["shownNew"]).toBeGreaterThan(0);
    expect(components["shownGain"]).toBe(0);
    expect(components["overBudget"]).toBe(1);
    expect(reward).toBe(-0.5);
  });

  it("takes off wrong calls, up to a limit, and what nothing supports", async () => {
    const calls = (counters: Record<string, number>) => score({}, task, anEpisode({}, { counters }));
    expect((await calls({ malformed_calls: 2, failed_calls: 1, refused_calls: 1 })).reward).toBeCloseTo(
      -0.14,
      12,
    );
    expect((await calls({ malformed_calls: 99 })).reward).toBe(-0.5);
    const made = await score(
      {},
      task,
      anEpisode({ created: [aRecord("n", "Carl sells boats", { provenance: ["m1"] })] }),
    );
    expect(made.components).toMatchObject({ unsupported: 1, written: 1, unknownSources: 0 });
    expect(made.reward).toBeCloseTo(-0.2, 12);
  });

  it("fines no honest agent that merges, splits and creates in two steps", async () => {
    const call = memoryTools();
    type Step = readonly [string, (made: readonly string[]) => object];
    const merge = (...others: string[]): Step => [
      "merge_memory",
      (made) => ({ memory_ids: [...made.slice(0, 1), ...others], strategy: "concatenate" }),
    ];
    const split: Step = [
      "split_memory",
      (made) => ({
        memory_id: made[0] ?? "m3",
        criteria: "thematic",
        parts: ["Ann moved to the city of Oslo", "Ann moved in May"],
      }),
    ];
    const create = (source?: string): Step => [
      "manage_memory",
      (made) => ({
        operation: "create",
        content: "Ben likes green tea",
        ...(source === undefined ? {} : { source: source === "made" ? made[0] : source }),
      }),
    ];
    const update = (source?: string): Step => [
      "manage_memory",
      (made) => ({
        operation: "update",
        memory_id: made[0],
        content: "Ann moved to the city of Oslo in May. Ben likes green tea",
        ...(source === undefined ? {} : { source }),
      }),
    ];
    const ways: Readonly<Record<string, readonly Step[]>> = {
      "merge, merge": [merge("m1", "m2"), merge("m3")],
      "merge, split": [merge("m1", "m3"), split],
      "split, merge": [split, merge("m1")],
      "split, split, merge": [split, ["split_memory", split[1]], merge("m2")],
      "create with a source, merge": [create("m2"), merge("m3")],
      "create without a source, merge": [create(), merge("m1"), merge("m3")],
      "create, create of it, merge": [create("m2"), create("made"), merge("m1")],
      "merge, update": [merge("m3", "m2"), update()],
      "create without a source, update, merge": [create(), update("m3"), merge("m1")],
    };
    for (const [name, steps] of Object.entries(ways)) {
      const store = await MemoryStore.of(old, hashedEmbedder());
      for (const [tool, args] of steps) {
        const made = store.diff().created.map(({ id }) => id);
        const { outcome, text } = await call.run(tool, args(made), { store, random: () => 0 });
        expect([name, outcome, text.slice(0, 5)]).toEqual([name, "done", expect.any(String)]);
      }
      const { reward, components } = await score({}, task, anEpisode(store.diff()));
      expect([name, components["unsupported"], components["unknownSources"]]).toEqual([name, 0, 0]);
      expect([name, reward]).toEqual([name, 0]);
    }
  });

  it("does not pay for an echo of the question with the commonest answers", async () => {
    const bait = aRecord("n", "Where does Ann live? yes no likely 2022 2023 green city home dog");
    const target = aTask({ records: old.slice(0, 2), probes: [aProbe("Where does Ann live?", "Bergen")] });
    const { reward } = await score({}, target, anEpisode({ created: [bait] }));
    expect(reward).toBeLessThan(0);
  });

  it("scores the agent's own answer where that is wanted", async () => {
    const { components, reward } = await score(
      { weights: { answer: 0.5 } },
      task,
      anEpisode({}, { answer: "in Oslo" }),
    );
    expect(components["answerF1"]).toBeCloseTo(2 / 3, 12);
    expect(reward).toBeCloseTo(1 / 3, 12);
  });

  it("prices an own answer that lists more than was asked for", async () => {
    const cities = "Oslo, Bergen, Paris, Rome, Berlin, Turin, Lyon, Bath";
    const asked = aTask({ answers: ["Oslo, Bergen"], records: old, metadata: { category: "multi-hop" } });
    const f1 = async (answer: string) =>
      (await score({ weights: { answer: 1 } }, asked, anEpisode({}, { answer }))).components["answerF1"];
    expect(await f1("Bergen, Oslo")).toBe(1);
    expect(await f1("Bergen")).toBe(0.5);
    expect(await f1(cities)).toBeCloseTo(2 / 8, 12);
    expect(await f1("Bergen, Oslo,,")).toBe(1);
  });

  it("scores an own answer to several questions by all of them, and not as if they were adversarial", async () => {
    const probes = [aProbe("Where?", "Oslo"), aProbe("What?", "a dog")];
    const several = aTask({ answers: [], question: "Where?\nWhat?", records: old, probes });
    const answered = async (answer: string) =>
      (await score({ weights: { answer: 1 } }, several, anEpisode({}, { answer }))).components["answerF1"];
    expect(await answered("not mentioned")).toBe(0);
    expect(await answered("Oslo")).toBeCloseTo(1 / 2, 12);
    const released = rewardConfigSchema.parse({ name: "memupdate-released" });
    await expect(async () => trajectoryReward(released)(several, anEpisode({}))).rejects.toThrow("--asked 1");
  });

  it("asks a task without probes its own question, and is an error where no question can be scored", async () => {
    const { components } = await score({}, aTask({ records: old }), anEpisode({}));
    expect(components).toMatchObject({ shownOld: 1, unscoredProbes: 0 });
    const unknown = aTask({ answers: [], records: old, probes: [aProbe("Who?", null)] });
    await expect(score({}, unknown, anEpisode({}))).rejects.toThrow("NO_PROBES");
    await expect(score({}, task, anEpisode())).rejects.toThrow("NO_STORE");
  });

  it("weighs answers by their probability under a reader that is not trained", async () => {
    const asked: string[] = [];
    const dependencies: RewardDependencies = {
      openReader: ({ path }) => ({
        logLikelihood: async ({ prompt, answer }) => {
          asked.push(`${path}|${answer}`);
          return { logprob: prompt.includes("Oslo") ? -1 : -4, tokens: 2 };
        },
      }),
    };
    const settings = {
      score: { by: "reader", reader: { path: "/models/frozen" } },
      efficiency: "none",
    } as const;
    const { components } = await score(
      settings,
      aTask({ records: old }),
      anEpisode({ deleted: ["m3"] }),
      dependencies,
    );
    expect(components["shownOld"]).toBeCloseTo(Math.exp(-0.5), 12);
    expect(components["shownNew"]).toBeCloseTo(Math.exp(-2), 12);
    expect(asked).toEqual(["/models/frozen| Oslo", "/models/frozen| Oslo"]);
    await expect(score(settings, aTask({ records: old }), anEpisode({}))).rejects.toThrow("/models/frozen");
  });

  it("lets a model answer from what is found, scored by LoCoMo or by a judge; unanswerable questions too", async () => {
    const answering: TextModel = {
      generateText: async ({ messages }) => {
        const prompt = messages[0]?.content ?? "";
        if (prompt.includes("You grade"))
          return { text: `VERDICT: ${prompt.includes("Oslo\n</answer>") ? "CORRECT" : "WRONG"}` };
        return { text: prompt.includes("Oslo") ? "Oslo" : "<think>hm</think>not mentioned" };
      },
    };
    const endpoint = { url: "http://127.0.0.1:1" };
    const dependencies = { openTextModel: () => answering };
    const probes = [aProbe("Where does Ann live?", "Oslo"), aProbe("Where does Carl live?", null)];
    const asked = aTask({ records: old, probes });
    const forgetful = anEpisode({ deleted: ["m3"] });
    const byAnswer = { score: { by: "answer", answerer: endpoint }, efficiency: "none" } as const;
    const answered = await score(byAnswer, asked, forgetful, dependencies);
    // Before, both are answered "Oslo"; afterwards neither is.
    expect(answered.components).toMatchObject({ shownOld: 0.5, shownNew: 0.5, unscoredProbes: 0 });
    const byJudge = { score: { by: "judge", answerer: endpoint, judge: { endpoint } } } as const;
    const judged = await score(byJudge, aTask({ records: old }), forgetful, dependencies);
    expect(judged.components).toMatchObject({ shownOld: 1, shownNew: 0 });
  });

  it("asks for the store as it was at first once for all episodes of a group", async () => {
    let reads = 0;
    const dependencies: RewardDependencies = {
      openReader: () => ({
        logLikelihood: async () => {
          reads += 1;
          return { logprob: -1, tokens: 1 };
        },
      }),
    };
    const config = rewardConfigSchema.parse({
      name: "memupdate",
      score: { by: "reader", reader: { path: "x" } },
    });
    const reward = trajectoryReward(config, dependencies);
    for (const id of ["m1", "m2", "m3"])
      await reward(aTask({ records: [...old] }), anEpisode({ deleted: [id] }));
    expect(reads).toBe(4);
  });
});

describe("reward memupdate-released", () => {
  it("is the change of keyword support times efficiency", async () => {
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "memupdate-released" }));
    const task = aTask({
      question: "where did Anna adopt the dog",
      answers: ["Oslo"],
      records: [
        aRecord("a", "Anna adopt a dog"),
        aRecord("b", "Ben likes tea"),
        aRecord("c", "the dog is brown"),
      ],
    });
    const { reward: value, components } = await reward(
      task,
      anEpisode({ created: [aRecord("d", "Anna adopt the dog in Oslo")] }),
    );
    expect(value).toBeCloseTo(0.8875, 9);
    expect(components).toMatchObject({
      initial_memory_count: 3,
      final_memory_count: 4,
      scoreOld: 0.1,
      scoreNew: 1,
    });
  });
});
