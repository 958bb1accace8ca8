import { join } from "node:path";
import { preparedTasks, worlds } from "@palimpsest/datasets";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addData } from "./data.js";
import { addWorld } from "./world.js";

const folder = fileFolder();
const cli = new CommandRun(addWorld, addData);
beforeEach(() => cli.begin());
afterEach(() => cli.end());
const world = (...words: string[]) => cli.run("world", ...words);

it("lists every world with its rule", async () => {
  const listed: unknown = JSON.parse(await world("list", "--json"));
  expect(listed).toEqual(worlds.map(({ name, rule, defaults }) => ({ name, rule, ...defaults })));
  expect(await world("list")).toMatch(/^trade +people trade what they have; who has a thing in the end\?$/m);
});

it("shows the same text that a file of tasks has", async () => {
  const path = join(folder, "carry.jsonl");
  await cli.run(
    "data",
    "prepare",
    "world",
    "--world",
    "carry",
    "--count",
    "3",
    "--sentences",
    "80",
    "--out",
    path,
  );
  const tasks = [];
  for await (const task of preparedTasks(path)) tasks.push(task);
  const shown: unknown = JSON.parse(
    await world("show", "carry", "--sentences", "80", "--index", "2", "--json"),
  );
  expect(shown).toEqual(tasks[2]);
  expect(await world("show", "carry", "--sentences", "80")).toMatch(/^question {2}.*\?$/m);
});

it("checks a world, and calls nothing certain of few questions", async () => {
  const text = await world("check", "link", "--sentences", "64", "--sentences", "128", "--questions", "10");
  expect(text).toMatch(/^link, 64 sentences, 10 questions \(test, seed 1; cast 10, .*\)$/m);
  expect(text).toMatch(/^link, 128 sentences/m);
  expect(text).toMatch(/^oracle +oracle, backward +100\.0 /m);
  expect(text.match(/nothing is certain: 10 questions are fewer than 500/g)).toHaveLength(2);
});

it("refuses what cannot be, by its flag", async () => {
  await expect(world("show", "tradex")).rejects.toThrow(/Allowed choices are link, trade/);
  await expect(world("check", "trade", "--bait", "2")).rejects.toThrow(/--bait.* must be at most 1; it is 2/);
  await expect(world("show", "trade", "--sentences", "20")).rejects.toThrow(/length: 20 .* give at least 23/);
});
