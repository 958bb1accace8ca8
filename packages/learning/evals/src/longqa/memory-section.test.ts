/** Questions of LongMemEval's types, prepared and asked as longqa does, with scripted answers whose verdicts are known. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wordTokenizer } from "@palimpsest/agents/testing";
import { prepareData, preparerByName, readQuestionSource } from "@palimpsest/datasets";
import { describe, expect, it } from "vitest";
import { longMemEvalRows } from "../../../../../test/support/longmemeval-rows.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { splitPassages } from "../baselines/passages.js";
import { retrievalSystem } from "../baselines/retrieval.js";
import { documentText, type EvalItem } from "../suite/item.js";
import { qaScorer } from "../suite/qa-scorer.js";
import { runSuite } from "../suite/runner.js";
import { summarizeSuite } from "../suite/summary.js";
import { aPrediction, aSystem } from "../suite/testing.js";
import { type AnswerVerdict, answerVerdict, oldValuesOf } from "./answer-verdict.js";
import { longQaItems } from "./items.js";
import { memorySection } from "./memory-section.js";

async function items(records = false): Promise<EvalItem[]> {
  const folder = testFolder();
  const input = join(folder, "rows.json");
  const out = join(folder, "tasks.jsonl");
  writeFileSync(input, JSON.stringify(longMemEvalRows()));
  const preparer = preparerByName("longmemeval");
  await prepareData({ preparer, options: { records }, inputs: [input], out, seed: 0, format: "task" });
  return longQaItems({ source: await readQuestionSource({ inputs: [out], dataSource: "longqa" }), seed: 0 });
}

const isAbstention = ({ metadata }: EvalItem) => metadata["abstention"] === true;
const gold = (item: EvalItem) => (isAbstention(item) ? "That was not mentioned." : (item.answers[0] ?? ""));
const old = (item: EvalItem) => oldValuesOf(item)[0] ?? "something else";
/** Answers by script, and the verdicts that they get: of an update, of other questions, and of those without an answer. */
const scripts: Readonly<
  Record<
    string,
    { answer(item: EvalItem): string; is: readonly [AnswerVerdict, AnswerVerdict, AnswerVerdict] }
  >
> = {
  gold: { answer: gold, is: ["right", "right", "right"] },
  stale: { answer: (item) => `It is ${old(item)}.`, is: ["stale", "wrong", "wrong"] },
  both: {
    answer: (item) => `First ${old(item)}, then ${item.answers[0]}`,
    is: ["both", "right", "right"],
  },
  unknown: { answer: () => "Unknown.", is: ["refused", "refused", "right"] },
  hedged: { answer: (item) => `${item.answers[0]}, or I don't know`, is: ["refused", "refused", "right"] },
  empty: { answer: () => " ", is: ["empty", "empty", "empty"] },
};

describe("scripted answers", () => {
  it.each(Object.entries(scripts))("get the right verdict in every type: %s", async (_, { answer, is }) => {
    for (const item of await items()) {
      const [update, other, without] = is;
      const wanted = isAbstention(item) ? without : oldValuesOf(item).length > 0 ? update : other;
      expect([item.id, answerVerdict(item, answer(item))]).toEqual([item.id, wanted]);
    }
  });

  it("are scored by type, with abstention apart and the stale ones counted", async () => {
    const systems = Object.entries(scripts).map(([name, { answer }]) => aSystem(answer, { name }));
    const run = await runSuite({ suite: "t", items: await items(), systems, scorer: qaScorer({}) });
    expect(summarizeSuite(run).groups).toEqual([
      "single-session-user",
      "abstention",
      "single-session-assistant",
      "single-session-preference",
      "multi-session",
      "temporal-reasoning",
      "knowledge-update",
    ]);
    const [section] = memorySection(run);
    const data = section?.data as {
      updates: number;
      rows: { system: string; means: Record<string, object>; updates: Record<string, number> }[];
    };
    const of = (name: string) => data.rows.find(({ system }) => system === name);
    expect(data.updates).toBe(2);
    expect(of("gold")?.means["exactMatch"]).toEqual({ types: 1, overall: 1, abstention: 1 });
    expect(of("unknown")?.means["subExactMatch"]).toEqual({ types: 0, overall: 1 / 12, abstention: 1 });
    // "Not mentioned" behind every answer wins no more than it alone.
    expect(of("hedged")?.means).toEqual(of("unknown")?.means);
    expect(of("empty")?.means["f1"]).toEqual({ types: 0, overall: 0, abstention: 0 });
    expect(of("stale")?.updates).toMatchObject({ stale: 1, right: 0 });
    expect(of("both")?.updates).toMatchObject({ both: 1, stale: 0 });
    expect(section?.lines.join("\n")).toContain("| stale | 0.0 | 0.0 | 100.0 |");
    expect(memorySection({ ...run, items: run.items.map((item) => ({ ...item, metadata: {} })) })).toEqual(
      [],
    );
  });
});

describe("retrieval over dated sessions", () => {
  const tokenizer = wordTokenizer();
  const reader = {
    config: { passages: 60, passageTokens: 30, contextTokens: 10_000 },
    encode: tokenizer.encode,
    room: () => 10_000,
    answer: () => Promise.resolve(aPrediction("x")),
  };

  it.each([false, true])("recalls the evidence's sessions, from records too: %s", async (records) => {
    const system = retrievalSystem({
      name: "bm25",
      model: "m",
      reader: reader as unknown as Parameters<typeof retrievalSystem>[0]["reader"],
      retrieval: { by: "bm25" },
    });
    const options = { signal: new AbortController().signal, seed: 0 };
    const recalls: Record<string, unknown> = {};
    for (const item of await items(records)) {
      const { measures, retrieved } = await system.answer(item, options);
      recalls[item.id] = measures?.["recall@5"];
      expect(measures?.["recall@60"]).toBe(measures?.["recall@50"]);
      expect(retrieved?.flat().join(" ")).not.toContain("answer_");
    }
    const none = Object.keys(recalls).filter((id) => recalls[id] === undefined);
    const missed = Object.keys(recalls).filter((id) => recalls[id] === 0);
    expect(none).toEqual(["u2_abs/abstention"]);
    // These share no word with their question.
    expect(missed).toEqual(["p2/single-session-preference", "t1/temporal-reasoning"]);
    expect(Object.values(recalls).filter((share) => share === 1)).toHaveLength(9);
  });

  it("divides each session into passages of its own, under its date", async () => {
    const [item] = await items();
    const text = `${await documentText(item as EvalItem)}\nSession 9, no heading\nSession 4, another`;
    const passages = splitPassages(text, { maxTokens: 12, countTokens: (part) => part.split(/\s+/).length });
    expect(passages.map(({ text: passage }) => passage.split("\n")[0])).toContain(
      "Session 2, 2023-05-02 09:10",
    );
    expect(
      passages.every(({ text: passage, sources: [source] }) => {
        const number = /^Session (\d+)/.exec(passage)?.[1];
        return source === `session_${number}`;
      }),
    ).toBe(true);
  });
});
