import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseRecipe, portableRecipe } from "./recipe.js";
import { trainingTasks } from "./recipe-tasks.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-curriculum-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, "other.jsonl"),
  ["long document", "doc"]
    .map((document, at) =>
      JSON.stringify({ id: `other${at}`, question: "who?", answers: ["ben"], document, metadata: {} }),
    )
    .join("\n"),
);

const recipeText = (curriculum: object) =>
  JSON.stringify({
    name: "small",
    model: { path: "./base" },
    agent: { preset: "tiny" },
    data: { source: "ruler", ruler: { kind: "needle", count: 6, seed: 3, sentences: { min: 4, max: 12 } } },
    learner: { preset: "memagent", groupSize: 4, buckets: [{ rows: 8, length: 64 }] },
    train: { steps: 1 },
    curriculum,
  });
const mix = [{ weight: 1, data: { source: "jsonl", path: "./other.jsonl" } }];

async function asked(curriculum: object, seed = 1) {
  const tasks = await trainingTasks({ ...parseRecipe(recipeText(curriculum), folder), seed }, undefined);
  const all = await Promise.all(Array.from({ length: tasks.count }, (_, at) => tasks.open(at)));
  await tasks.close();
  return all.map((task) => ({ id: task.id, length: "document" in task ? task.document.length : 0 }));
}

test("a run's questions are mixed by weight, and ordered by seed or length, by the recipe alone", async () => {
  const mixed = await asked({ dataWeight: 3, mix });
  expect(mixed).toHaveLength(8);
  expect(mixed.filter(({ id }) => id.startsWith("2/")).map(({ id }) => id)).toEqual(["2/other0", "2/other1"]);
  const shuffled = await asked({ dataWeight: 3, mix, order: "shuffled" });
  expect(shuffled).toEqual(await asked({ dataWeight: 3, mix, order: "shuffled" }));
  expect(shuffled).not.toEqual(await asked({ dataWeight: 3, mix, order: "shuffled" }, 2));
  const byId = (rows: typeof mixed) => rows.map(({ id }) => id).sort();
  expect(byId(shuffled)).toEqual(byId(mixed));
  const lengths = (await asked({ dataWeight: 3, mix, order: "short-first" })).map(({ length }) => length);
  expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  expect(new Set(lengths).size).toBeGreaterThan(3);
});

test("what cannot be mixed is refused by its place, and paths travel", async () => {
  expect(() => parseRecipe(recipeText({ mix: [{ weight: 0, data: mix[0]?.data }] }), folder)).toThrow(/mix/);
  expect(() => parseRecipe(recipeText({ mix: [{ weight: 1, data: { module: "./a.ts" } }] }), folder)).toThrow(
    /module's questions cannot be mixed/,
  );
  const store = { source: "store", store: { count: 2, seed: 1 } };
  expect(() => parseRecipe(recipeText({ mix: [{ weight: 1, data: store }] }), folder)).toThrow(
    /curriculum.mix\[0\].data.source store/,
  );
  const absent = { mix: [{ weight: 1, data: { source: "jsonl", path: "./nowhere.jsonl" } }] };
  await expect(asked(absent)).rejects.toThrow(/curriculum.mix\[0\].data.path: there is no file/);
  expect(portableRecipe(recipeText({ mix }), folder, "recipe")).toContain(join(folder, "other.jsonl"));
});
