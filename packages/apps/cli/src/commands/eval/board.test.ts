import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseBoardSettings } from "@palimpsest/evals";
import { parseYaml, readYamlFile } from "@palimpsest/trainer";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addBoard } from "./board.js";

const folder = fileFolder();
const recipes = join(import.meta.dirname, "../../../../../../recipes");
const model = join(recipes, "bases/small-store");
const cli = new CommandRun(addBoard);
beforeEach(() => cli.begin());
afterEach(() => cli.end());

const file = join(folder, "board.yaml");
writeFileSync(
  file,
  `description: A smoke cell
worlds: [carry]
sentences: [40]
lowercase: true
difficulty: { cast: 4 }
systems:
  tiny: { kind: agent, agent: memagent, preset: tiny, settings: { chunkTokens: 40 } }
rows:
  MemAgent: { system: tiny }
  BM25: { system: rag-bm25 }
reader:
  documentPrompt: "{document} {question}"
  closedPrompt: "{question}"
  prompt: text
  stopTokens: ["<|end|>"]
  answerTokens: 4
  passageTokens: 24
  passages: 2
  contextTokens: 128
maxLength: 128
`,
);

it("asks its rows and controls, and gives the same numbers again", async () => {
  const asked = async (out: string) => {
    const text = await cli.run(
      "board",
      file,
      "--model",
      model,
      "--questions",
      "3",
      "--out",
      join(folder, out),
    );
    return { text, json: readFileSync(join(folder, out, "board.json"), "utf8") };
  };
  const [first, again] = [await asked("a"), await asked("b")];
  expect(first.text).toContain("# A smoke cell");
  // Three questions give no scores, but everything was asked.
  expect(first.text).toContain("carry, 40: **no scores**, because 3 questions are fewer than 500");
  const predictions = readFileSync(join(folder, "a", "predictions.jsonl"), "utf8")
    .trim()
    .split("\n");
  const systems = predictions.map((line) => (JSON.parse(line) as { system: string }).system);
  expect([...new Set(systems)].sort()).toEqual(["closed-book", "rag-bm25", "tiny"]);
  expect(again.json).toBe(first.json);
  expect(readdirSync(join(folder, "a")).sort()).toEqual([
    "board.html",
    "board.json",
    "board.md",
    "predictions.jsonl",
  ]);
});

it.each(readdirSync(join(recipes, "boards")))("has a valid file %s", (name) => {
  const path = join(recipes, "boards", name);
  const settings = parseBoardSettings(parseYaml(readYamlFile(path, "board"), path), name);
  expect(Object.keys(settings.rows).length).toBeGreaterThan(1);
});

it("names the field of a file that is wrong, before a model is loaded", async () => {
  writeFileSync(join(folder, "bad.yaml"), "worlds: [trades]\nsentences: [64]\n");
  await expect(cli.run("board", join(folder, "bad.yaml"))).rejects.toThrow(/bad\.yaml: worlds/);
  writeFileSync(
    join(folder, "bad.yaml"),
    "worlds: [trade]\nsentences: [64]\nrows: { a: { system: memagnet } }\n",
  );
  await expect(cli.run("board", join(folder, "bad.yaml"))).rejects.toThrow(/"memagnet" is unknown/);
  const refused = async (rows: string, problem: RegExp) => {
    writeFileSync(join(folder, "bad.yaml"), `worlds: [trade]\nsentences: [64]\nrows: ${rows}\n`);
    await expect(cli.run("board", join(folder, "bad.yaml"))).rejects.toThrow(problem);
  };
  await refused(
    "{ a: { system: memagent }, b: { system: memagent } }",
    /rows\.b: asks memagent .* as rows\.a/,
  );
  await refused("{ a: { system: memagent, models: [m, m] } }", /rows\.a: asks memagent .* as itself/);
  await refused(
    '{ a: { system: memagent, division: "question unknown" } }',
    /rows\.a\.division: .* asked while/,
  );
  writeFileSync(join(folder, "bad.yaml"), "worlds: [trade, trade]\nsentences: [64]\n");
  await expect(cli.run("board", join(folder, "bad.yaml"))).rejects.toThrow(
    /worlds: must name each world once/,
  );
});

it("knows the file of the installation by its name", async () => {
  const refused = cli.run(
    "board",
    "worlds",
    "--model",
    join(folder, "nothing"),
    "--questions",
    "1",
    "--sentences",
    "64",
  );
  await expect(refused).rejects.toThrow(/nothing/);
  await expect(cli.run("board", "world")).rejects.toThrow(/did you mean .*worlds\.yaml/);
});
