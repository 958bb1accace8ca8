import { expect, it } from "vitest";
import { compareEvaluations } from "./compare.js";
import { evaluateLengths } from "./evaluate-lengths.js";
import type { Evaluation } from "./length-results.js";
import { reportMarkdown } from "./report.js";
import type { EvalItem } from "./suite/item.js";
import type { Prediction, System } from "./suite/system.js";
import { maxCategories, taskCategory } from "./task-category.js";

/** How many of the samples of questions q0 to q7 are right. */
const rightOf4 = [0, 4, 1, 4, 2, 0, 4, 1];

function anItem(index: number): EvalItem {
  const category = index % 2 === 0 ? "even | plain" : "odd";
  const metadata = index === 7 ? {} : { category };
  return {
    id: `q${index}`,
    group: 64,
    question: "where?",
    answers: ["here"],
    document: "it is here",
    metadata,
  };
}

/** Answers right this many times, whichever sample asks first. */
function system(rights: readonly number[], seeds: number[] = []): System {
  const left = [...rights];
  return {
    name: "policy",
    settings: {},
    answer: async (item, { seed }): Promise<Prediction> => {
      seeds.push(seed);
      const question = Number(/^q(\d+)/.exec(item.id)?.[1]);
      const right = (left[question] ?? 0) > 0 ? 1 : 0;
      left[question] = (left[question] ?? 0) - right;
      return {
        text: right ? "here" : "there",
        documentTokens: 4,
        droppedDocumentTokens: 0,
        counts: { promptTokens: 4, sampledTokens: 1, conversations: 1, truncated: 0 },
        measures: { reward: right, "reward.exactMatch": right },
      };
    },
  };
}

async function evaluated(rights: readonly number[], samples: number, seeds?: number[]): Promise<Evaluation> {
  const lengths = await evaluateLengths({
    suite: "test",
    system: system(rights, seeds),
    lengths: [{ lengthTokens: 64, items: () => rights.map((_, index) => anItem(index)) }],
    samples,
    seed: 1,
  });
  return { agent: "policy", temperature: 1, seed: 1, lengths };
}

it("asks each question k times with seeds of their own, and tells mean@k and pass@k with intervals over questions", async () => {
  const seeds: number[] = [];
  const { lengths } = await evaluated(rightOf4, 4, seeds);
  const [length] = lengths;
  expect(new Set(seeds).size).toBe(32);
  expect(length).toMatchObject({ n: 8, samples: 4, exactMatch: 16 / 32, meanReward: 0.5, passAtK: 6 / 8 });
  // Wilson's interval of 6 of 8, computed by hand from Wilson (1927).
  expect(length?.passAtKInterval?.low).toBeCloseTo(0.4093, 3);
  expect(length?.passAtKInterval?.high).toBeCloseTo(0.9285, 3);
  // Samples of one question agree more than samples of different ones: 32 independent ones would give 0.34 to 0.66.
  const { low, high } = length?.exactMatchInterval ?? { low: 0, high: 0 };
  expect(low).toBeLessThan(0.3);
  expect(high).toBeGreaterThan(0.7);
});

it("asks once what it would have asked anyway: the first sample keeps id and seed", async () => {
  const once: number[] = [];
  const often: number[] = [];
  const { lengths } = await evaluated([1, 0], 1, once);
  await evaluated([1, 0], 3, often);
  expect(lengths[0]).toMatchObject({ n: 2, samples: 1, exactMatch: 0.5, passAtK: 0.5 });
  for (const seed of once) expect(often).toContain(seed);
});

it("compares samples of the same question as one draw", async () => {
  const before = await evaluated([0, 0, 0, 0, 0, 0, 0, 0], 4);
  const after = await evaluated(rightOf4, 4);
  const [compared] = compareEvaluations(before, after);
  expect(compared?.exactMatch?.difference).toBe(0.5);
  // Six questions changed, all for the better, so p is at best 2/2⁶; as 32 pairs it would be below 10⁻⁴.
  expect(compared?.exactMatch?.p).toBeGreaterThan(0.02);
  const other = await evaluated(rightOf4, 2);
  expect(() => compareEvaluations(before, other)).toThrow("NOT_COMPARABLE");
});

it("tells the reward by category of the tasks, in the results and the report", async () => {
  const before = await evaluated([0, 0, 0, 0, 0, 0, 0, 0], 4);
  const after = await evaluated(rightOf4, 4);
  expect(after.lengths[0]?.categories.map(({ meanRewardInterval: _, ...rest }) => rest)).toEqual([
    { category: "even | plain", episodes: 16, meanReward: 7 / 16 },
    { category: "odd", episodes: 12, meanReward: 8 / 12 },
  ]);
  const markdown = reportMarkdown({ title: "t", before, after });
  expect(markdown).toMatch(/\| even \\\| plain \| 64 \| 16 \| 0\.000 \[0\.000, 0\.000\] \| 0\.438 \[/);
  expect(markdown).toContain("pass@4");
  expect(markdown).toContain("75.0 % [40.9, 92.9]");
});

it("tells so many categories apart and no more", async () => {
  const items = Array.from({ length: maxCategories + 3 }, (_, index) => ({
    ...anItem(index),
    metadata: { category: `c${String(index).padStart(3, "0")}` },
  }));
  const [length] = await evaluateLengths({
    suite: "test",
    system: system(items.map(() => 1)),
    lengths: [{ lengthTokens: 64, items: () => items }],
    seed: 1,
  });
  expect(length?.categories).toHaveLength(maxCategories + 1);
  expect(length?.categories.at(-1)).toMatchObject({ category: "other", episodes: 3 });
  expect(taskCategory({ category: 3 })).toBeUndefined();
});
