import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { makeProgram } from "../../program/whole-program.js";
import { CommandRun } from "../testing.js";
import { addTrain } from "./train.js";

const command = new CommandRun(addTrain);
beforeEach(() => command.begin());
afterEach(() => command.end());

const recipe = `
name: tiny-run
model: { path: "builtin:quickstart" }
agent: { preset: tiny }
data: { source: jsonl, path: tasks.jsonl }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`;

it("names the recipe and the field of a file that does not exist", async () => {
  const folder = testFolder();
  const file = join(folder, "r.yaml");
  const row = { id: "a", question: "who likes figs?", answers: ["ben"], document: "ben likes figs." };
  writeFileSync(join(folder, "tasks.jsonl"), `${JSON.stringify(row)}\n`);
  for (const [from, to, field] of [
    ["builtin:quickstart", "none", "model.path: .*none does not exist"],
    ["{ preset: tiny }", "{ module: none.ts }", "agent.module: file .*none.ts does not exist"],
    ["tasks.jsonl", "none.jsonl", "data.path: .*none.jsonl"],
  ] as const) {
    writeFileSync(file, recipe.replace(from, to));
    await expect(command.run("train", file, "--dry-run")).rejects.toThrow(new RegExp(`${file}: ${field}`));
  }
});

it("plans a recipe for other GPUs by one number, and refuses what is none", async () => {
  const file = join(builtinRecipesDir, "memagent/qwen3-4b-vime.yaml");
  const eight = await command.run("train", file, "--gpus", "8", "--dry-run");
  expect(eight).toMatch(/split of the GPUs +a step, expected +the run, expected +at most\n/);
  expect(eight).toMatch(/learner of \d GPUs, sharing state; \d rollout actors \(this recipe\)/);
  expect(eight).toContain("The run fits");
  const many = await command.run("train", file, "--gpus", "4x8", "--dry-run");
  expect(many).toContain("on 4 machines, which have 3072.00 GiB");
  const alone = await command.run("train", file, "--gpus", "1", "--dry-run");
  expect(alone).toContain("no setting but learner.lora fits it on this GPU: set learner.replicas");
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  for (const text of ["0", "8x", "eight", "0x8", "1.5"])
    await expect(command.run("train", file, "--gpus", text, "--dry-run")).rejects.toThrow(
      `--gpus is ${JSON.stringify(text)}; give GPUs of one machine, such as 8`,
    );
  await expect(command.run("train", file, "--gpus", "32", "--dry-run")).rejects.toThrow(
    '--gpus is "32", and machines have at most 16; give GPUs of one machine, such as 8, or machines and GPUs of each, such as 4x8',
  );
});

it("refuses in one process what only a cluster heeds, and names what leaves a folder", async () => {
  const file = join(builtinRecipesDir, "quickstart.yaml");
  await expect(command.run("train", file, "--in-process", "--run-dir", "kept here")).rejects.toThrow(
    /--run-dir kept here: .*`palimpsest dev -- palimpsest train RECIPE --run-dir 'kept here'`/,
  );
  await expect(command.run("train", file, "--in-process", "--address", "a:1")).rejects.toThrow(
    /--address is given with --in-process/,
  );
});

it("says which recipes there are where none is given", async () => {
  const program = (await makeProgram("train")).exitOverride();
  let told = "";
  for (const one of [program, ...program.commands])
    one.exitOverride().configureOutput({
      writeErr: (text) => {
        told += text;
      },
    });
  await expect(program.parseAsync(["train"], { from: "user" })).rejects.toThrow(/missing required argument/);
  expect(told).toMatch(
    /'recipe\.yaml': the recipe; those of the installation are in .*recipes, such as quickstart\.yaml/,
  );
  expect(told).toContain("(palimpsest train --help lists the arguments and options)");
});
