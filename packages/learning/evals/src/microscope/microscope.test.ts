import { describe, expect, it } from "vitest";
import { factLanes, neededFacts } from "./fact-lanes.js";
import { factLosses, factLossesText } from "./fact-losses.js";
import { countWords, patternOf, saysFact } from "./fact-match.js";
import { plantedEpisode } from "./planted.fixture.js";
import { laneSummaries, lossPlaces, lossSentence } from "./run-losses.js";

const episodes = Array.from({ length: 500 }, (_, seed) => plantedEpisode(seed + 1));

describe("planted episodes", () => {
  /** Returns how many losses there are, how many are reported, and how many are reported at the right place. */
  function lossesOf(all: typeof episodes) {
    let planted = 0;
    let found = 0;
    let told = 0;
    for (const { trace, facts } of all) {
      const lanes = factLanes(trace);
      expect(lanes.map(({ fact }) => fact.name)).toEqual(["first hop", "second hop"]);
      facts.forEach(({ lostAt }, index) => {
        const lane = lanes[index];
        const lossOf = lane?.end === "lost" ? lane.lostAt : undefined;
        if (lostAt !== undefined) planted += 1;
        if (lossOf !== undefined) told += 1;
        if (lostAt !== undefined && lossOf === lostAt) found += 1;
      });
    }
    return { planted, found, false: told - found };
  }

  it("all losses are found, and 2 % at most are false", () => {
    const losses = lossesOf(episodes);
    expect(losses.planted).toBeGreaterThan(150);
    expect(losses.found).toBe(losses.planted);
    expect(losses.false).toBeLessThanOrEqual(0.02 * losses.planted);
  });

  it("where nobody knows what was read, and so which words are rare, 98 % of them are found", () => {
    const losses = lossesOf(episodes.map((_, seed) => plantedEpisode(seed + 1, 8, false)));
    expect(losses.found).toBeGreaterThanOrEqual(0.98 * losses.planted);
    expect(losses.false).toBeLessThanOrEqual(0.02 * losses.planted);
  });

  it("what was read and never kept is missed, at the step that read it", () => {
    for (const { trace, facts } of episodes) {
      const lanes = factLanes(trace);
      facts.forEach(({ entersAt, seenAt }, index) => {
        const lane = lanes[index];
        if (entersAt === undefined) expect(lane).toMatchObject({ end: "missed", lostAt: seenAt });
        else expect(lane?.steps[entersAt]?.event).toBe("entered");
      });
    }
  });

  it("are counted over a run, and the worst place comes first", () => {
    const counted = episodes.map(({ trace }) => ({
      failed: (trace.reward?.total ?? 0) < 1,
      lanes: laneSummaries(trace),
    }));
    const { failures, places } = lossPlaces(counted);
    expect(failures).toBe(counted.filter(({ failed }) => failed).length);
    const [worst] = places;
    if (worst === undefined) throw new Error("no place");
    expect(worst.failures).toBeGreaterThanOrEqual(places[1]?.failures ?? 0);
    expect(places.every(({ successes }) => successes === 0)).toBe(true);
    expect(lossSentence({ ...worst, name: "first hop", end: "lost", lostAt: 2, share: 0.62 })).toBe(
      "62 % of failures lose the first hop at step 3",
    );
  });
});

describe("losses of facts", () => {
  const lanes = episodes.flatMap(({ trace }) => laneSummaries(trace));
  const planted = episodes.flatMap(({ trace, facts }) =>
    facts.map((fact) => ({ ...fact, steps: trace.memorySteps.length })),
  );
  const written = planted.flatMap(({ entersAt, lostAt, steps }) =>
    entersAt === undefined ? [] : [{ after: steps - 1 - entersAt, held: (lostAt ?? steps) - 1 - entersAt }],
  );

  it("are split into what was never written and what was lost later, at every distance", () => {
    const { read, captured, kept, retention } = factLosses(lanes);
    expect([read, captured, kept]).toEqual([
      planted.length,
      written.length,
      written.filter(({ after, held }) => after === held).length,
    ]);
    expect(retention.map(({ distance }) => distance)).toEqual([1, 2, 4]);
    for (const { distance, facts, kept: held } of retention) {
      const reached = written.filter(({ after }) => after >= distance);
      expect([facts, held]).toEqual([reached.length, reached.filter((one) => one.held >= distance).length]);
      expect(held).toBeLessThan(facts);
    }
  });

  it("leave out facts that no step read, and are told in a sentence", () => {
    const unseen = { end: "unseen", steps: 4 } as const;
    expect(factLossesText(factLosses([unseen]))).toBe(
      "of 0 facts that were read, – were written, and – of those kept to the end",
    );
    const lost = { end: "lost", writtenAt: 0, lostAt: 2, steps: 4 } as const;
    const held = { end: "kept", writtenAt: 1, steps: 4 } as const;
    const missed = { end: "missed", lostAt: 1, steps: 4 } as const;
    expect(factLossesText(factLosses([unseen, lost, held, missed]))).toBe(
      "of 3 facts that were read, 67 % were written, and 50 % of those kept to the end (after 1 step 100 %, 2 50 %)",
    );
  });
});

describe("whether a text says a fact", () => {
  const document =
    "Tom likes figs. Anna likes plums. Ben likes chess. Tom met Anna. The best figs come from Rome.";
  const counts = countWords(["Tom likes figs."], [document]);
  const says = (text: string, fact = "Tom likes figs.") => saysFact(text, patternOf(fact, counts));

  it.each([
    ["exact", "Note: tom likes FIGS"],
    ["rephrased", "Tom: figs"],
    ["rephrased", "Tom, who is a baker, loves figs."],
    ["rephrased", "figs are what Tom likes"],
    ["no", "Tom likes plums. Anna likes figs."],
    ["no", "Tom likes plums, Anna likes figs"],
    ["no", "Tom likes them"],
    ["no", ""],
  ] as const)("%s: %s", (said, text) => {
    expect(says(text)).toBe(said);
  });

  it("also of scripts without spaces", () => {
    expect(saysFact("记忆：汤姆喜欢无花果。", patternOf("汤姆喜欢无花果", new Map()))).toBe("exact");
    expect(saysFact("汤姆喜欢茶。", patternOf("汤姆喜欢无花果", new Map()))).toBe("no");
  });
});

describe("other episodes", () => {
  const [{ trace }] = [plantedEpisode(3)];

  it("a phrase that a reader types takes the place of what the task needs; no evidence: the answer", () => {
    expect(factLanes(trace, ["the keys since Monday"])[0]?.fact.name).toBe("phrase");
    const { metadata: _metadata, ...task } = trace.task;
    expect(neededFacts({ task })).toEqual([{ name: "answer", text: task.answers[0] }]);
    expect(neededFacts({ task: { ...task, answers: [] } })).toEqual([]);
  });

  it("what was recalled after its loss is said so", () => {
    const { facts, trace: lost } =
      episodes.find(({ facts }) => facts[0]?.lostAt !== undefined) ?? episodes[0] ?? plantedEpisode(1);
    const [first] = facts;
    const evidence = String(lost.task.metadata?.["evidence"]);
    const memorySteps = lost.memorySteps.map((step, at) =>
      at === first?.lostAt ? { ...step, recalled: `found: ${evidence}` } : step,
    );
    expect(factLanes({ ...lost, memorySteps })[0]).toMatchObject({ end: "lost", recalledAfter: true });
  });

  it("an agent with tools keeps what it writes until it removes it", () => {
    const conversation = (step: number, prompt: string) => ({
      kind: "tool" as const,
      step,
      promptTokens: 1,
      sampledTokens: 1,
      stopReason: "stop" as const,
      policyVersion: 0,
      prompt,
    });
    const [lane] = factLanes({
      ...trace,
      task: { ...trace.task, metadata: { evidence: "Tom likes figs." } },
      memorySteps: [],
      conversations: [conversation(0, "Tom likes figs."), conversation(1, "…"), conversation(2, "…")],
      toolCalls: [
        { step: 0, name: "memory_add", arguments: '{"content":"Tom likes figs"}' },
        { step: 1, name: "memory_search", arguments: '{"query":"Tom"}', result: "m1: Tom likes figs" },
        { step: 2, name: "memory_delete", arguments: '{"content":"Tom likes figs"}' },
      ],
    });
    expect(lane?.steps.map(({ event }) => event)).toEqual(["entered", "recalled", "lost"]);
    expect(lane).toMatchObject({ end: "lost", lostAt: 2 });
  });
});
