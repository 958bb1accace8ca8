import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedTasks, rateQuestions } from "@palimpsest/datasets";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { planTasks } from "../plan/plan-source.js";
import { otherRates, ratedPlay } from "../rates/rates-of-run.js";
import { trainInProcess } from "../run/train-in-process.js";
import { fileFingerprint } from "./file-fingerprint.js";
import { parseRecipe, portableRecipe } from "./recipe.js";
import { recipeTasks, trainingTasks } from "./recipe-tasks.js";

const folder = fileFolder();
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
    /the questions of a module cannot be mixed/,
  );
  const store = { source: "store", store: { count: 2, seed: 1 } };
  expect(() => parseRecipe(recipeText({ mix: [{ weight: 1, data: store }] }), folder)).toThrow(
    /curriculum.mix\[0\].data.source: is store/,
  );
  const absent = { mix: [{ weight: 1, data: { source: "jsonl", path: "./nowhere.jsonl" } }] };
  await expect(asked(absent)).rejects.toThrow(/curriculum.mix\[0\].data.path: file .* does not exist/);
  expect(portableRecipe(recipeText({ mix }), folder, "recipe")).toContain(join(folder, "other.jsonl"));
});

test("questions are left out and ordered by pass rate, beside what is mixed in; what does not fit is named", async () => {
  const path = join(folder, "rates.jsonl");
  const tasks = await recipeTasks("data", parseRecipe(recipeText({}), folder).data, undefined);
  const solved = [4, 1, 0, 3, 1, 2];
  await rateQuestions({
    tasks,
    samples: 4,
    concurrency: 2,
    path,
    settings: {},
    play: async (_, { position, sample }) => (sample < (solved[position] ?? 0) ? 1 : 0),
  });
  const idsIn = (rows: { readonly id: string }[]) => rows.map(({ id }) => id);
  const given = idsIn(await asked({}));
  const places = async (curriculum: object) =>
    idsIn(await asked(curriculum)).map((id) => given.indexOf(id.replace(/^1\//, "")));
  const passRates = { path: "./rates.jsonl" };
  expect(await places({ passRates })).toEqual([1, 3, 4, 5]);
  expect(await places({ passRates, order: "easy-first" })).toEqual([3, 5, 1, 4]);
  expect(await places({ passRates: { ...passRates, min: 0, max: 0.5 }, order: "hard-first" })).toEqual([
    2, 1, 4, 5,
  ]);
  expect((await places({ passRates, order: "shuffled" })).sort()).toEqual([1, 3, 4, 5]);
  // The order by rate holds within the data; others come evenly between.
  expect(await places({ passRates, order: "easy-first", dataWeight: 2, mix })).toEqual([3, -1, 5, 1, -1, 4]);

  await expect(asked({ passRates: { path: "./none.jsonl" } })).rejects.toThrow(
    /curriculum.passRates.path: file .*none.jsonl does not exist; create it with `palimpsest data rate`/,
  );
  const recipe = parseRecipe(recipeText({ passRates }), folder);
  const others = {
    ...recipe,
    data: parseRecipe(recipeText({ mix }), folder).curriculum.mix[0]?.data ?? recipe.data,
  };
  await expect(trainingTasks(others, undefined)).rejects.toThrow(
    /curriculum.passRates.path: ".*rates.jsonl" rates none of the 2 questions/,
  );
  // A dry run sees the same questions and the same errors.
  const planned = await planTasks(recipe, undefined);
  expect(planned.total).toBe(4);
  await planned.tasks.close();
  await expect(planTasks(others, undefined)).rejects.toThrow("rates none of the 2 questions");
  expect(portableRecipe(recipeText({ passRates }), folder, "recipe")).toContain(path);
});

test("questions that take the place of the data go through the curriculum, too", async () => {
  const given = generatedTasks(4, (at) => ({
    id: `given${at}`,
    question: "who?",
    answers: ["ben"],
    document: "d".repeat(9 - at),
    metadata: {},
  }));
  const recipe = parseRecipe(recipeText({ order: "short-first", mix }), folder);
  const tasks = await trainingTasks(recipe, undefined, { given });
  const all = await Promise.all(Array.from({ length: tasks.count }, (_, at) => tasks.open(at)));
  await tasks.close();
  const ids = all.map(({ id }) => id);
  expect(ids.filter((id) => id.startsWith("1/"))).toEqual(["1/given3", "1/given2", "1/given1", "1/given0"]);
  expect(ids.filter((id) => id.startsWith("2/"))).not.toHaveLength(0);
  await expect(trainInProcess({ recipe, tasks: [] })).rejects.toThrow(
    "tasks: is empty; give at least one question",
  );
});

test("a dry run looks at what is mixed in, and not at the short questions alone", async () => {
  const planned = await planTasks(parseRecipe(recipeText({ dataWeight: 3, mix }), folder), undefined);
  expect(planned.total).toBe(8);
  await planned.tasks.close();
  const absent = [{ weight: 1, data: { source: "jsonl", path: "./nowhere.jsonl" } }];
  await expect(planTasks(parseRecipe(recipeText({ mix: absent }), folder), undefined)).rejects.toThrow(
    /curriculum.mix\[0\].data.path: file .* does not exist/,
  );
  const first = async (order: string) => {
    const { tasks } = await planTasks(parseRecipe(recipeText({ order }), folder), undefined);
    const { id } = await tasks.open(0);
    await tasks.close();
    return id;
  };
  expect(await first("short-first")).toBe(await first("as-given"));
});

test("rates that were measured with another model, agent, reward or sampling are told of", async () => {
  const path = join(folder, "others.jsonl");
  const recipe = parseRecipe(recipeText({ passRates: { path } }), folder);
  const told = async (changes: object, weightsHash?: string) => {
    const settings = { model: { weightsHash: "aa" }, ...ratedPlay(recipe, []), samples: 8, ...changes };
    writeFileSync(path, `${JSON.stringify({ log: "pass-rates", settings })}\n`);
    return await otherRates(recipe, [], weightsHash === undefined ? {} : { weightsHash });
  };
  expect(await told({}, "aa")).toBeUndefined();
  expect(await told({ samples: 3 })).toBeUndefined();
  expect(await told({}, "bb")).toMatch(
    /^curriculum.passRates.path: ".*others.jsonl" was rated with another model than the run's/,
  );
  expect(await told({ model: { name: "gpt", endpoint: "http://a" } }, "bb")).toMatch(/another model than/);
  expect(await told({ sampling: { temperature: 0, maxTokens: 9 }, agent: {} }, "aa")).toMatch(
    /another agent and another sampling than/,
  );
  writeFileSync(path, "");
  expect(await otherRates(recipe, [], { weightsHash: "aa" })).toBeUndefined();
});

test("rates of the very file are matched by ids at the start, and a question's text when it is opened", async () => {
  const rows = ["a", "b", "c", "d"].map((id) =>
    JSON.stringify({ id, question: "who?", answers: ["ben"], document: `${id} was ben`, metadata: {} }),
  );
  const path = join(folder, "rated.jsonl");
  writeFileSync(path, rows.join("\n"));
  const data = { source: "jsonl" as const, path, maxBadRows: 0, seed: 7 };
  const tasks = await recipeTasks("data", data, undefined);
  const rates = join(folder, "rated.rates.jsonl");
  await rateQuestions({
    tasks,
    samples: 2,
    concurrency: 1,
    path: rates,
    settings: { data: { files: [await fileFingerprint(path)] } },
    play: async ({ id }, { sample }) => (id !== "a" && sample === 0 ? 1 : 0),
  });
  await tasks.close();
  // Another seed gives another order; ids are all that rates go by.
  const recipe = {
    ...parseRecipe(recipeText({ passRates: { path: rates } }), folder),
    data: { ...data, seed: 8 },
  };
  const opened = async () => {
    const kept = await trainingTasks(recipe, undefined);
    const all = await Promise.allSettled(Array.from({ length: kept.count }, (_, at) => kept.open(at)));
    await kept.close();
    return all.map((one) => (one.status === "fulfilled" ? one.value.id : String(one.reason))).sort();
  };
  expect(await opened()).toEqual(["b", "c", "d"]);
  const line = /("id":"c","textSha256":")[0-9a-f]{8}/;
  writeFileSync(rates, readFileSync(rates, "utf8").replace(line, "$100000000"));
  expect(await opened()).toEqual([expect.stringMatching(/another text .* "c"; rate these/), "b", "d"]);
  // Of another file every question is compared before anything starts.
  writeFileSync(path, `${rows.join("\n")}\n`);
  await expect(opened()).rejects.toThrow(/1 of 4 questions had another text .* "c"/);
});
