// One rule holds for what every command reads: where a file or a folder is missing, the exit code says "not found", and the
// message has the path and the one that was probably meant; where a folder is in place of a file, it says "usage". Another
// holds for what every command writes: what cannot be written is refused before anything is read.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Option } from "commander";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../commands/testing.js";
import { reportFailure } from "../display/failure.js";
import { verbsOf } from "../display/verbs.js";
import { exitCodes } from "../input/exit-codes.js";
import { isLookedAt } from "../input/output-paths.js";
import { makeProgram } from "./whole-program.js";

const program = await makeProgram(undefined);
const verbs = verbsOf(program);
const folder = fileFolder();
const path = (...parts: string[]) => join(folder, ...parts);
const output = new CommandRun();

const hotpot = {
  _id: "a",
  question: "who?",
  answer: "x",
  supporting_facts: [["t", 0]],
  context: [["t", ["x b."]]],
  type: "bridge",
  level: "hard",
};

beforeAll(() => {
  vi.stubEnv("PALIMPSEST_SETUP", "off");
  vi.stubEnv("HOME", folder);
  vi.stubEnv("PALIMPSEST_DATA_DIR", path("data"));
  writeFileSync(path("hotpot.json"), JSON.stringify([hotpot]));
  writeFileSync(path("text.txt"), "the cat sat on the mat, the cat sat on the mat\n");
  writeFileSync(path("main.mjs"), "");
  mkdirSync(path("folder"));
  // What was probably meant stands beside what is missing.
  for (const name of ["thither.yaml", "thither.jsonl", "thither.mjs", "thither"])
    writeFileSync(path(name), "");
});
beforeAll(async () => {
  output.begin();
  const words = ["data", "prepare", "hotpotqa", "--input", path("hotpot.json"), "--out", path("tasks.jsonl")];
  await program.parseAsync(words, { from: "user" });
  output.end();
});
beforeEach(() => output.begin());
afterEach(() => output.end());

const missing = (end = "") => path(`thiter${end}`);
const [hotpotFile, tasks, text] = [path("hotpot.json"), path("tasks.jsonl"), path("text.txt")];
const out = ["--out", path("out")];

/** A call for each path that a command reads, by the command's name and then by the argument or the option. */
const calls: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "head start": {
    "--tls": ["--tls", missing()],
    "--autoscale": ["--autoscale", missing(".yaml")],
    "--quotas": ["--quotas", missing(".yaml")],
  },
  "certs issue": { "--dir": ["--dir", missing(), "--role", "driver", "--name", "a"] },
  "certs revoke": { certificate: [missing(), "--dir", path("folder")] },
  "job submit": {
    file: [missing(".mjs")],
    "--working-dir": [path("main.mjs"), "--working-dir", missing()],
  },
  "dashboard serve": { folders: [missing()] },
  "dashboard export": { folders: [missing(), ...out] },
  ask: { source: [missing(), "--question", "who?"] },
  serve: {
    model: [missing()],
    "--tls": [path("folder"), "--tls", missing()],
    "--weights-from": [path("folder"), "--weights-from", missing()],
  },
  mcp: { "--root": ["--root", missing()] },
  train: { "recipe.yaml": [missing(".yaml")] },
  "train sft": {
    "base-recipe.yaml": [missing(".yaml"), ...out],
    "--data": ["--data", missing(".jsonl"), "--model", path("folder"), ...out],
    "--prompts": ["--prompts", missing(".jsonl"), "--teacher", "http://127.0.0.1:1", "--data", path("new")],
  },
  "train replay": { "--run": ["--run", missing(), "--step", "1"] },
  "eval longqa": {
    "--input": ["--input", missing(".jsonl")],
    "--pool": ["--input", hotpotFile, "--pool", missing(".jsonl")],
    "--settings": ["--input", hotpotFile, "--settings", missing(".yaml")],
  },
  "eval ruler-hqa": {
    "--input": ["--input", missing(".jsonl")],
    "--pool": ["--input", hotpotFile, "--pool", missing(".jsonl")],
    "--settings": ["--input", hotpotFile, "--settings", missing(".yaml")],
  },
  "eval ruler": {
    "--essay": ["--essay", missing()],
    "--squad": ["--squad", missing()],
    "--hotpotqa": ["--hotpotqa", missing()],
    "--settings": ["--settings", missing(".yaml")],
  },
  "eval locomo": {
    "--input": ["--input", missing()],
    "--wrong-answers": ["--input", hotpotFile, "--wrong-answers", missing()],
    "--settings": ["--input", hotpotFile, "--settings", missing(".yaml")],
  },
  "eval stream": {
    "--recipe": ["--recipe", missing(".yaml")],
    "--settings": ["--settings", missing(".yaml")],
  },
  board: { "file.yaml": [missing(".yaml"), ...out] },
  "data check": { paths: [missing(".jsonl")] },
  "data stats": { files: [missing(".jsonl")] },
  "data show": { file: [missing(".jsonl")] },
  "data overlap": {
    file: [missing(".jsonl"), "--evaluation", tasks],
    "--evaluation": [tasks, "--evaluation", missing(".jsonl")],
  },
  "data filter": { file: [missing(".jsonl"), "--model", path("folder"), ...out] },
  "data rate": { "recipe.yaml": [missing(".yaml"), ...out] },
  "model info": { model: [missing()] },
  "model convert": { model: [missing(), ...out] },
  "model export": { from: [missing(), ...out] },
  "model init": { text: [missing(), ...out], "--config": [text, "--config", missing(".yaml"), ...out] },
  "model generate": { model: [missing(), "--prompt", "a"] },
  "model chat": { model: [missing()] },
  "model check": { "--reference": ["--reference", missing()] },
  score: { "--cases": ["--metric", "qa_metrics", "--cases", missing()] },
  "loss check": { "--golden": ["--golden", missing()] },
  "trace view": { files: [missing(".jsonl")] },
  ...Object.fromEntries(
    verbs
      .filter(({ name, command }) => name.startsWith("data prepare ") && takes(command.options, "--input"))
      .map(({ name }) => [name, { "--input": ["--input", missing(".jsonl"), ...out] }]),
  ),
};

function takes(options: readonly Option[], long: string): boolean {
  return options.some((option) => option.long === long);
}

/** Paths that are written, or may be absent, and values that look like paths. */
const notRead = new Set(
  [
    // Written, or made where they are missing.
    "--out --output --trace --resume --report --run-dir --node-dir --data-dir --object-store-dir --folder --log --drop --to",
    "--reader-token-file --memory",
    // The folder of a new authority.
    "--dir",
    // Folders of runs that may come later.
    "--runs",
    // Names of files on a hub.
    "--hf-file",
    // Texts, and settings that name a path behind a dot.
    "--question --prompt --system --stop --title --set",
    // The certificates of every command that connects are read by the same code as those of `serve`.
    "--tls",
    // Needs a whole model, a run or a corpus first: the same code reads `model` and `--input`.
    "--tokenizer --count-with --model --add-adapters --corpus --compare --teacher",
  ].flatMap((names) => names.split(" ")),
);

const reads = /<[^>]*(?:file|folder|path|model|recipe)/;
const readArguments =
  /^(?:file|folders|files|paths|source|recipe\.yaml|base-recipe\.yaml|file\.yaml|certificate|text|model|from)$/;

it("every path that a command reads is in the table or named", () => {
  const left = verbs.flatMap(({ name, command }) => [
    ...command.options
      .filter(({ flags, long, hidden }: Option) => !hidden && reads.test(flags) && !notRead.has(long ?? ""))
      .map(({ long }: Option) => `${name} ${long}`),
    ...command.registeredArguments
      .filter((argument) => readArguments.test(argument.name()))
      .map((argument) => `${name} ${argument.name()}`),
  ]);
  const called = Object.entries(calls).flatMap(([name, each]) =>
    Object.keys(each).map((one) => `${name} ${one}`),
  );
  expect(left.filter((one) => !called.includes(one))).toEqual([]);
});

const cases = Object.entries(calls).flatMap(([name, each]) =>
  Object.entries(each).map(([what, words]) => ({ name, what, words })),
);

it.each(cases)("$name: $what is not there", async ({ name, words }) => {
  let reason: unknown;
  try {
    await program.parseAsync([...name.split(" "), ...words, "--no-input"], { from: "user" });
  } catch (thrown) {
    reason = thrown;
  }
  output.stderr = "";
  expect(reportFailure(reason), output.stderr).toBe(exitCodes.notFound);
  expect(output.stderr).toContain(missing());
  expect(output.stderr).toContain("does not exist");
  expect(output.stderr).toMatch(/did you mean "?\S*thither/);
});

async function failureOf(words: readonly string[]): Promise<unknown> {
  try {
    await program.parseAsync([...words, "--no-input"], { from: "user" });
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** The calls of files: each has one missing file with an ending, in whose place a folder stands. */
const ofFiles = cases.flatMap(({ name, what, words }) => {
  const given = words.map((word) => (word.startsWith(missing(".")) ? path("folder") : word));
  // A check takes the folder of a manifest, too.
  return name !== "data check" && words.some((word) => word.startsWith(missing(".")))
    ? [{ name, what, words: given }]
    : [];
});

it.each(ofFiles)("$name: $what is a folder", async ({ name, words }) => {
  const reason = await failureOf([...name.split(" "), ...words]);
  output.stderr = "";
  expect(reportFailure(reason), output.stderr).toBe(exitCodes.usage);
  expect(output.stderr).toContain(path("folder"));
});

const outputs = verbs.flatMap(({ name, command }) =>
  command.options.filter(isLookedAt).map((option) => ({ name, command, option })),
);

it("every path that a command writes is refused before it reads anything, if nothing can be written there", async () => {
  expect(outputs.length).toBeGreaterThan(40);
  for (const { name, command, option } of outputs) {
    const { long = "", flags } = option;
    const wrong = [path("text.txt", "below"), ...(flags.includes("<file") ? [path("folder")] : [])];
    if (flags.includes("<folder")) wrong.push(path("text.txt"));
    for (const value of wrong) {
      const needed = command.options.filter((other) => other.mandatory && other.long !== long);
      const reason = await failureOf([
        ...name.split(" "),
        ...command.registeredArguments.filter(({ required }) => required).map(() => missing()),
        ...needed.flatMap((other) => [other.long ?? "", other.argChoices?.[0] ?? missing()]),
        ...[long, value],
      ]);
      output.stderr = "";
      expect(reportFailure(reason), `${name} ${long}: ${output.stderr}`).toBe(exitCodes.usage);
      expect(output.stderr, name).toContain(`${long} ${value}: cannot be written`);
    }
  }
});

it("the folder of a file that is written is made", async () => {
  expect(await failureOf(["trace", "view", missing(), "--out", path("new/one/page.html")])).toBeDefined();
  expect(existsSync(path("new/one"))).toBe(true);
});
