import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { afterThinking, phraseAnswer } from "./answer-text.js";
import { boxedAnswer, lastCharacters } from "./boxed.js";
import { normalizeAnswer, qaMetrics } from "./qa-metrics.js";
import { boxedExactMatch } from "./reward.js";

interface RewardCase {
  id: string;
  response: string;
  ground_truths: string[];
  expected: number | null;
  extracted: string | null;
}
interface QaCase {
  id: string;
  prediction: string;
  gold: string;
  em: number;
  f1: number;
  sub_em: number;
  precision: number;
  recall: number;
  normalized_prediction: string;
  normalized_gold: string;
}
interface ExtractionCase {
  id: string;
  text: string;
  boxed_answer: string | null;
  phrase_answer: string | null;
  solution: string;
  after_think: { boxed_answer: string | null; phrase_answer: string | null };
}
interface PipelineCase {
  id: string;
  api: "recurrent" | "recurrent-boxed";
  response: string;
  gold: string;
  skipped: boolean;
  pred?: string | null;
  f1?: number;
  em?: number;
  sub_em?: number;
}
type Contested<T> = T & { contested?: boolean };

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../shared", import.meta.url));
const folder = `${shared}/fixtures/scoring`;
const present = existsSync(folder);
if (!present) process.stdout.write(`skipped: no golden scores in ${folder}\n`);

const read = <T>(name: string, list: string): Contested<T>[] =>
  JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"))[list];

/** Disputed cases in which we deliberately differ from the reference: a task without right answers is an error here. */
const departures = ["mr-256"];

describe.skipIf(!present)("golden scores of the reference", () => {
  it("agree on every boxed reward", () => {
    const cases = read<RewardCase>("memagent_reward", "cases");
    expect(cases.length).toBeGreaterThan(100);
    for (const { id, response, ground_truths, expected, extracted } of cases) {
      if (departures.includes(id)) {
        expect(() => boxedExactMatch(response, ground_truths), id).toThrow("NO_GROUND_TRUTH");
        continue;
      }
      expect(boxedExactMatch(response, ground_truths).reward, id).toBe(expected);
      expect(boxedAnswer(lastCharacters(response, 300).toLowerCase()), id).toBe(extracted);
    }
  });

  it("agree on every question-answering metric where the gold has words, and are 0 where only it has some", () => {
    const cases = read<QaCase>("qa_metrics", "cases");
    expect(cases.length).toBeGreaterThan(200);
    for (const c of cases) {
      expect(normalizeAnswer(c.prediction), c.id).toBe(c.normalized_prediction);
      expect(normalizeAnswer(c.gold), c.id).toBe(c.normalized_gold);
      const empty = c.normalized_prediction === "" || c.normalized_gold === "";
      expect(empty && !c.contested, c.id).toBe(false);
      // What is compared there is in reward.test.ts.
      if (c.normalized_gold === "") continue;
      const metrics = qaMetrics(c.prediction, c.gold);
      expect(metrics.exactMatch, c.id).toBe(empty ? 0 : c.em);
      expect(metrics.subExactMatch, c.id).toBe(empty ? 0 : c.sub_em);
      expect(metrics.f1, c.id).toBeCloseTo(c.f1, 9);
      expect(metrics.precision, c.id).toBeCloseTo(c.precision, 9);
      expect(metrics.recall, c.id).toBeCloseTo(c.recall, 9);
    }
  });

  it("agree on every extracted answer", () => {
    const cases = read<ExtractionCase>("answer_extraction", "cases");
    expect(cases.length).toBeGreaterThan(50);
    for (const c of cases) {
      const solution = afterThinking(c.text);
      expect(boxedAnswer(c.text), c.id).toBe(c.boxed_answer);
      expect(phraseAnswer(c.text), c.id).toBe(c.phrase_answer);
      expect(solution, c.id).toBe(c.solution);
      expect(boxedAnswer(solution), c.id).toBe(c.after_think.boxed_answer);
      expect(phraseAnswer(solution), c.id).toBe(c.after_think.phrase_answer);
    }
  });

  it("agree on the whole way from response to metrics where it is not disputed", () => {
    const cases = read<PipelineCase>("answer_extraction", "pipeline").filter((c) => !c.contested);
    expect(cases.length).toBeGreaterThan(15);
    const rounded = (value: number) => Math.round(value * 100) / 100;
    for (const c of cases) {
      const solution = afterThinking(c.response);
      const prediction = c.api === "recurrent" ? phraseAnswer(solution) : boxedAnswer(solution);
      expect(prediction, c.id).toBe(c.pred);
      const metrics = qaMetrics(prediction, c.gold);
      expect([metrics.f1, metrics.exactMatch, metrics.subExactMatch].map(rounded), c.id).toEqual([
        c.f1,
        c.em,
        c.sub_em,
      ]);
    }
  });
});
