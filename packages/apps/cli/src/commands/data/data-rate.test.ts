import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { saveTasks } from "@palimpsest/datasets";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addTrain } from "../training/train.js";
import { addData } from "./data.js";

const folder = fileFolder();
const cli = new CommandRun(addData, addTrain);
beforeEach(() => cli.begin());
afterEach(() => cli.end());

const recipe = join(folder, "recipe.yaml");
const rates = join(folder, "rates.jsonl");
const recipeText = (curriculum: string) => `
name: rated
model: { path: "builtin:quickstart" }
agent: { preset: tiny }
data: { source: jsonl, path: ./tasks.jsonl }
curriculum: ${curriculum}
rollout: { maxTokens: 52, concurrency: 8 }
learner: { preset: memagent, groupSize: 4, buckets: [{ rows: 8, length: 49 }] }
train: { steps: 1, groupsPerStep: 2 }
`;
const rate = (...words: string[]) =>
  cli.run("data", "rate", recipe, "--out", rates, "--samples", "4", "--backend", "wasm", ...words);
const linesOf = () => readFileSync(rates, "utf8").trimEnd().split("\n");

it("rates a recipe's questions with its model, goes on where it was stopped, and the recipe trains by it", async () => {
  // What the model has learned to answer, something that it has words for and cannot know, and between.
  const documents = [
    " ben likes bats.",
    " ken likes bats.",
    " rain and wind. ben likes cats. len likes hats.",
  ];
  const tasks = documents.map((document, at) => ({
    id: `task-${at}`,
    question: "what does ben like?",
    answers: [at === 2 ? "cats" : "bats"],
    document,
    metadata: {},
  }));
  await saveTasks(join(folder, "tasks.jsonl"), tasks);
  writeFileSync(
    recipe,
    recipeText("{ order: hard-first, passRates: { path: ./rates.jsonl, min: 0, max: 1 } }"),
  );
  const text = await rate();
  expect(text).toMatch(
    /rates.jsonl {2}3 questions, 4 episodes each, by .*quickstart on wasm: pass rate 0\.\d{3}/,
  );
  const [head = "", ...lines] = linesOf();
  expect(JSON.parse(head)).toMatchObject({
    log: "pass-rates",
    settings: { model: { weightsHash: expect.stringMatching(/^[0-9a-f]{64}$/) }, samples: 4, seed: 0 },
  });
  const rows = lines.map((line) => JSON.parse(line) as { position: number; id: string; passRate: number });
  expect(rows.map(({ id }) => id).sort()).toEqual(["task-0", "task-1", "task-2"]);
  // It reads the document: the question that the document does not answer is solved less often.
  const rateOf = (id: string) => rows.find((row) => row.id === id)?.passRate ?? Number.NaN;
  expect(rateOf("task-0")).toBeGreaterThan(rateOf("task-1"));

  // Killed within its last line.
  writeFileSync(rates, `${[head, ...lines.slice(0, 2)].join("\n")}\n${lines[2]?.slice(0, 30)}`);
  expect(JSON.parse(await rate("--json"))).toMatchObject({ rated: 3, resumed: 2, failed: 0 });
  expect(linesOf().sort()).toEqual([head, ...lines].sort());
  await expect(rate("--seed", "1")).rejects.toThrow(/out: .*other settings \(seed: there 0, here 1\)/);

  expect(await cli.run("train", recipe, "--dry-run")).toMatch(/tasks +3, of which 3 were read/);
  await saveTasks(
    join(folder, "tasks.jsonl"),
    tasks.map((task) => ({ ...task, document: `${task.document} day and night.` })),
  );
  await expect(rate()).rejects.toThrow(/other settings \(data: there .*, here .*\)/);
  await expect(cli.run("train", recipe, "--dry-run")).rejects.toThrow(
    /curriculum.passRates.path: ".*rates.jsonl" was made from other data: 3 of 3 questions/,
  );
});
