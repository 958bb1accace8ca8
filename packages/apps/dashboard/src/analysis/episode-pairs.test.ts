import { expect, test } from "vitest";
import type { EpisodeRow } from "../api/runs.js";
import { episodePairs } from "./episode-pairs.js";

const lane = { name: "evidence", steps: 4, recalledAfter: false, answered: false };
let at = 0;
const episode = (group: string, step: number, more: Partial<EpisodeRow> = {}): EpisodeRow => ({
  at: at++,
  id: `${group}/${step}`,
  origin: "eval",
  agent: "memagent",
  group,
  step,
  question: "who?",
  answer: "",
  reward: step > 0 ? 1 : 0,
  chunks: 4,
  sampledTokens: 1,
  lanes: [{ ...lane, end: step > 0 ? "kept" : "missed" }],
  ...more,
});

test("the first and the last evaluation of each question, and nothing of training or of a single evaluation", () => {
  const rows = [
    episode("a", 20),
    episode("a", 0),
    episode("a", 10, { reward: 0 }),
    episode("b", 0),
    episode("train", 1, { origin: "train" }),
    episode("train", 2, { origin: "train" }),
  ];
  expect(episodePairs(rows)).toEqual([{ before: rows[1], after: rows[0] }]);
});

test("what was learned comes first, before it what was lost and fits on a page", () => {
  const pair = (group: string, before: Partial<EpisodeRow>, after: Partial<EpisodeRow> = {}) => [
    episode(group, 0, before),
    episode(group, 9, after),
  ];
  const rows = [
    ...pair("knew it", { reward: 1 }),
    ...pair("long", { chunks: 64 }, { chunks: 64 }),
    ...pair("missed", {}),
    ...pair("lost", { lanes: [{ ...lane, end: "lost" }] }),
    ...pair("never", {}, { reward: 0, lanes: [{ ...lane, end: "lost" }] }),
  ];
  expect(episodePairs(rows).map(({ before }) => before.group)).toEqual([
    "lost",
    "missed",
    "long",
    "knew it",
    "never",
  ]);
});
