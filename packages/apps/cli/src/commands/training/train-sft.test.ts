import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { answerChat, startChatServer, stopServer } from "../../../../../../test/stories/chat-server.js";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addTrain } from "./train.js";
import { addTrainSft } from "./train-sft.js";

const folder = fileFolder();
const run = new CommandRun((program) => addTrainSft(program.command("train")));
const sft = (...flags: string[]) => run.run("train", "sft", ...flags);
beforeEach(() => run.begin());
afterEach(() => run.end());

test("the teacher is asked under its name, and what it answered is not asked again", async () => {
  const asked: string[] = [];
  const server = await startChatServer((body, response) => {
    asked.push((JSON.parse(body) as { model: string }).model);
    answerChat(response, "bats");
  });
  onTestFinished(() => stopServer(server));
  const [prompts, data] = [join(folder, "prompts.jsonl"), join(folder, "answers.jsonl")];
  writeFileSync(prompts, '{"prompt":"what does tom like?"}\n{"prompt":"what does ben like?"}\n');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = ["--teacher", url, "--teacher-model", "the-teacher", "--prompts", prompts, "--data", data];
  expect(await sft(...flags)).toContain("2 answers requested, 0 were already there");
  expect(asked).toEqual(["the-teacher", "the-teacher"]);
  expect(readFileSync(data, "utf8").trim().split("\n")).toHaveLength(2);
  expect(await sft(...flags)).toContain("0 answers requested, 2 were already there");
});

test("demonstrations that are too long are refused with their line, or left out", async () => {
  const model = new URL("../../../../../../recipes/bases/quickstart", import.meta.url).pathname;
  const data = join(folder, "long.jsonl");
  writeFileSync(
    data,
    '{"prompt":"tom likes bats. ben likes cats. what does tom like?","completion":" bats"}\n',
  );
  const flags = ["--model", model, "--data", data, "--out", join(folder, "made"), "--max-tokens", "8"];
  await expect(sft(...flags)).rejects.toThrow(/line 1.* tokens, but maxTokens is 8/);
  await expect(sft(...flags, "--too-long", "skip")).rejects.toThrow(/each of the 1 demonstrations is longer/);
});

test("--seed replaces the seed of a base recipe, although train has an option of that name", async () => {
  const text = readFileSync(
    new URL("../../../../../../recipes/quickstart-base.yaml", import.meta.url),
    "utf8",
  );
  const recipe = join(folder, "short-base.yaml");
  writeFileSync(recipe, text.replace(/steps: \d+/g, "steps: 1"));
  const whole = new CommandRun(addTrain);
  whole.begin();
  onTestFinished(() => whole.end());
  const weights: (string | undefined)[] = [];
  for (const seed of ["1", "2"])
    weights.push(
      /weights (\w+)/.exec(
        await whole.run("train", "sft", recipe, "--seed", seed, "--out", join(folder, seed)),
      )?.[1],
    );
  expect(weights[0]).toMatch(/^\w{12}$/);
  expect(weights[1]).not.toBe(weights[0]);
});
