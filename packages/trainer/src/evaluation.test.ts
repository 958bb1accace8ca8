import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rulerTasks, saveTasks } from "@palimpsest/datasets";
import type { LengthResult } from "@palimpsest/evals";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { evaluationTasks, mergeResults } from "./evaluation.js";
import { builtinRecipesDir } from "./model-source.js";
import { parseRecipe, readRecipe } from "./recipe.js";

const part = (correct: number, n: number, more: Partial<LengthResult> = {}): LengthResult => ({
  lengthTokens: 64,
  n,
  correct,
  failures: 0,
  exactMatch: correct / n,
  exactMatchInterval: { low: 0, high: 1 },
  meanReward: correct / n,
  documentTokens: 64 * n,
  promptTokens: 10 * n,
  sampledTokens: 5 * n,
  conversations: 2 * n,
  truncated: 0,
  droppedDocumentTokens: 0,
  seconds: 1,
  microsecondsPerDocumentToken: 0,
  sampledTokensPerDocumentToken: 0,
  peakRssBytes: 100,
  rssGrowthBytes: 10,
  outcomes: [],
  ...more,
});

test("shares of a length add up: counts by sum, rates by all tasks, time and memory by the highest", () => {
  const merged = mergeResults([part(10, 10), part(0, 30, { seconds: 3, peakRssBytes: 200, failures: 2 })]);
  expect(merged).toMatchObject({
    n: 40,
    correct: 10,
    failures: 2,
    exactMatch: 0.25,
    seconds: 3,
    peakRssBytes: 200,
  });
  expect(merged.meanReward).toBeCloseTo(0.25);
  expect(merged.microsecondsPerDocumentToken).toBeCloseTo(3e6 / (64 * 40));
  expect(merged.exactMatchInterval.low).toBeGreaterThan(0.13);
  expect(merged.exactMatchInterval.high).toBeLessThan(0.41);
});

test("the questions of a length are the same at every call and differ between lengths", async () => {
  const { recipe } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const first = await evaluationTasks(recipe);
  expect(await evaluationTasks(recipe)).toEqual(first);
  expect(first.map(({ lengthTokens }) => lengthTokens)).toEqual([64, 128, 256, 512, 1024]);
  const ids = first.flatMap(({ tasks }) => tasks.map((task) => task.id));
  expect(new Set(ids).size).toBe(ids.length);
});

test("prepared files are the questions instead, each a length, found beside the recipe", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-evaluation-"));
  try {
    const { recipe, text } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
    const tasks = rulerTasks({ count: 3, sentences: 4 });
    await saveTasks(join(folder, "short.jsonl"), tasks);
    await saveTasks(join(folder, "long.jsonl"), tasks.slice(0, 2));
    const document = parseDocument(text);
    document.setIn(["evaluation"], {
      tasks: 2,
      files: [
        { path: "short.jsonl", lengthTokens: 100 },
        { path: "long.jsonl", lengthTokens: 400 },
      ],
    });
    const prepared = parseRecipe(document.toString(), folder);
    expect(await evaluationTasks({ ...prepared, model: recipe.model })).toEqual([
      { lengthTokens: 100, tasks: tasks.slice(0, 2) },
      { lengthTokens: 400, tasks: tasks.slice(0, 2) },
    ]);
    document.setIn(["evaluation"], { tasks: 2 });
    expect(() => parseRecipe(document.toString(), folder)).toThrow("either source, a generator, or files");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
