import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type LocomoConversation, readLocomoConversation } from "@palimpsest/datasets";
import { describe, expect, it } from "vitest";
import { documentText } from "../suite/item.js";
import { anItem, aPrediction } from "../suite/testing.js";
import { locomoItems, notMentioned } from "./items.js";
import { locomoScorer } from "./scorer.js";
import { parseWrongAnswers } from "./wrong-answers.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const path = `${shared}/data/locomo/locomo10.json`;
const missing = !existsSync(path);
if (missing) process.stdout.write(`skipped: no ${path}\n`);

const read = (): LocomoConversation[] =>
  (JSON.parse(readFileSync(path, "utf8")) as unknown[]).map((row) => {
    const conversation = readLocomoConversation(row);
    if ("reason" in conversation) throw new Error(conversation.detail);
    return conversation.data;
  });

describe.skipIf(missing)("locomoItems on the real conversations", () => {
  it("asks the 411 questions of the test split, 546 with adversarial ones, by category", async () => {
    const conversations = read();
    const options = { split: "test", records: ["observation"], seed: 0 } as const;
    const items = locomoItems(conversations, options);
    const counts = new Map<string | number, number>();
    for (const { group } of items) counts.set(group, (counts.get(group) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({
      "multi-hop": 74,
      temporal: 89,
      "open-domain": 27,
      "single-hop": 221,
    });
    expect(locomoItems(conversations, { ...options, adversarial: true }).length).toBe(546);
    // Questions of one conversation share its records and name their evidence.
    const [first, second] = items;
    expect(first?.records).toBe(second?.records);
    expect(first?.records?.length).toBeGreaterThan(100);
    expect(
      items.filter(({ evidence }) => evidence?.every((id) => /^D\d+:\d+$/.test(id))).length,
    ).toBeGreaterThan(400);
    expect((await documentText(first as (typeof items)[number])).length).toBeGreaterThan(20_000);
  });

  it("offers adversarial questions two options in an order of their own", () => {
    const items = locomoItems(read(), { split: "all", records: ["observation"], adversarial: true, seed: 0 });
    const adversarial = items.filter(({ group }) => group === "adversarial");
    const first = adversarial.filter(({ metadata }) => metadata["a"] === notMentioned).length;
    expect(first / adversarial.length).toBeGreaterThan(0.4);
    expect(first / adversarial.length).toBeLessThan(0.6);
    for (const { question, metadata } of adversarial) expect(question).toContain(`(b) ${metadata["b"]}`);
  });

  it("lets searches look for the bare question, without options and orders", () => {
    const items = locomoItems(read(), {
      split: "test",
      records: ["observation"],
      adversarial: true,
      seed: 0,
    });
    const told = items.filter(({ searchQuery }) => searchQuery !== undefined);
    expect(new Set(told.map(({ group }) => group))).toEqual(new Set(["temporal", "adversarial"]));
    for (const { question, searchQuery = "" } of told) {
      expect(question.startsWith(searchQuery)).toBe(true);
      expect(searchQuery).not.toMatch(/Use the dates|\(b\)/);
    }
  });

  it("puts known wrong answers into a group of their own, and refuses ids that are no questions", () => {
    const options = { split: "test", records: ["dialogue"], seed: 0 } as const;
    const wrongAnswers = parseWrongAnswers('["conv-26-q0", "conv-26-q3"]');
    expect(parseWrongAnswers("conv-26-q0\r\nconv-26-q3\n")).toEqual(wrongAnswers);
    const items = locomoItems(read(), { ...options, wrongAnswers });
    expect(items).toHaveLength(411);
    expect(items.filter(({ group }) => group === "known wrong").map(({ id }) => id)).toEqual([
      ...wrongAnswers,
    ]);
    const unknown = { ...options, wrongAnswers: new Set(["conv-26-q999"]) };
    expect(() => locomoItems(read(), unknown)).toThrow(/"conv-26-q999" is no question of the input/);
    for (const bad of ["[1]", '["a"', "[{}]"])
      expect(() => parseWrongAnswers(bad)).toThrow(/must be a JSON array of ids/);
  });

  it("takes the first questions of each category of each conversation", () => {
    const items = locomoItems(read(), { split: "test", records: ["dialogue"], limit: 2, seed: 0 });
    // conv-30 asks no open-domain question.
    expect(items.length).toBe(3 * 4 * 2 - 2);
  });
});

describe("locomoScorer", () => {
  const item = (category: string, answer: string, metadata = {}) =>
    anItem(1, { answers: [answer], metadata: { category, ...metadata } });
  const { signal } = new AbortController();

  it("scores by the rules of the category", async () => {
    const scorer = locomoScorer();
    expect(
      await scorer.score(item("single-hop", "the painted barns"), aPrediction("Painting a barn"), signal),
    ).toMatchObject({ f1: 1 });
    expect(await scorer.score(item("multi-hop", "tea, cake"), aPrediction("tea"), signal)).toMatchObject({
      f1: 0.5,
    });
  });

  it("reads the chosen option of an adversarial question", async () => {
    const scorer = locomoScorer();
    const asked = item("adversarial", notMentioned, { a: "tea", b: notMentioned });
    expect(await scorer.score(asked, aPrediction("(b)"), signal)).toEqual({ f1: 1, bleu1: 1 });
    expect(await scorer.score(asked, aPrediction("(a)"), signal)).toEqual({ f1: 0, bleu1: 0 });
  });

  it("puts the answer to a judge where there is one", async () => {
    const asked: unknown[] = [];
    const judge = {
      judge: (answer: unknown) => {
        asked.push(answer);
        return Promise.resolve(true);
      },
    };
    const scorer = locomoScorer({ judge: { name: "strict", judge } });
    expect(scorer.metrics.map(({ name }) => name)).toEqual(["f1", "bleu1", "judge"]);
    const scores = await scorer.score(item("temporal", "7 May 2023"), aPrediction("\\boxed{in May}"), signal);
    expect(scores["judge"]).toBe(1);
    expect(asked).toEqual([{ question: "What is 1?", answers: ["7 May 2023"], prediction: "in May" }]);
  });
});
