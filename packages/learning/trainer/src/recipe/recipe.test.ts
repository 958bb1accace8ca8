import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentKinds } from "@palimpsest/agents";
import { rewardConfigSchema } from "@palimpsest/rewards";
import { expect, test } from "vitest";
import { z } from "zod";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { builtinRecipesDir } from "./model-source.js";
import { parseRecipe, portableRecipe, readRecipe } from "./recipe.js";
import { recipeSchema } from "./recipe-schema.js";

const folder = fileFolder();

/** The rewards whose settings a recipe has; a module's settings are its own. */
const rewardsOfRecipes = rewardConfigSchema.options.filter((one) => !("module" in one.shape));

const minimal = `
name: tiny-run
model: { path: ./base }
agent: { preset: tiny, settings: { memoryTokens: 6 } }
data: { source: jsonl, path: tasks.jsonl }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`;

test("defaults fill what a recipe leaves out, and settings replace the preset's", () => {
  const recipe = parseRecipe(minimal, "/data", "r.yaml");
  expect(recipe.rollout.actors).toBe(2);
  expect(recipe.agent.config).toMatchObject({ memoryTokens: 6, chunkTokens: 16 });
  expect(recipe.learner.preset).toBe("memagent");
  expect(recipe.evaluation).toBeUndefined();
});

test("rollouts are neither greedy, nor truncated without a correction in the learner", () => {
  const greedy = `${minimal}rollout: { temperature: 0 }\n`;
  expect(() => parseRecipe(greedy, "/data", "r.yaml")).toThrow(
    /r.yaml: rollout.temperature: must be above 0; it is 0/,
  );
  const truncated = minimal.replace("memoryTokens: 6", "memoryTokens: 6, topP: 0.9");
  expect(() => parseRecipe(truncated, "/data", "r.yaml")).toThrow(
    /\[CONFIG_INVALID\].*agent.settings.topP: is 0.9, .*learner.importance/,
  );
  const corrected = truncated.replace("learner: {", "learner: { importance: { kind: tis-token, cap: 2 },");
  expect(parseRecipe(corrected, "/data", "r.yaml").agent.config.topP).toBe(0.9);
  const trl = truncated.replace("learner: {", "learner: { preset: trl,");
  expect(parseRecipe(trl, "/data", "r.yaml").learner.preset).toBe("trl");
});

test("relative paths start from the recipe's folder; builtin: names what comes along", () => {
  const recipe = parseRecipe(minimal, "/data", "r.yaml");
  expect(recipe.model.path).toBe("/data/base");
  expect(recipe.data).toMatchObject({ path: "/data/tasks.jsonl" });
  const builtin = parseRecipe(minimal.replace("./base", "builtin:quickstart"), "/data", "r.yaml");
  expect(builtin.model.path).toBe(join(builtinRecipesDir, "bases/quickstart"));
  for (const read of [parseRecipe, portableRecipe])
    expect(() => read(minimal.replace("./base", "builtin:quickstrt"), "/data", "r.yaml")).toThrow(
      /CONFIG_INVALID\] r\.yaml: model\.path: builtin:quickstrt is not in this installation; did you mean builtin:quickstart\?.*builtin:two-hop/,
    );
});

test("a portable recipe means the same in any folder and is the same text otherwise", () => {
  const text = portableRecipe(minimal, "/data", "r.yaml");
  expect(parseRecipe(text, "/elsewhere", "r.yaml")).toEqual(parseRecipe(minimal, "/data", "r.yaml"));
  const builtin = minimal.replace("./base", "builtin:quickstart");
  expect(portableRecipe(builtin, "/data", "r.yaml")).toContain("builtin:quickstart");
});

test("folders of models in the settings of agent and reward start from the recipe's folder too", () => {
  const local = "{ kind: model, model: embed }";
  const served = "{ kind: endpoint, url: 'http://h', model: embed, dimensions: 8 }";
  const text = (embedder: string) =>
    minimal
      .replace(
        "{ preset: tiny, settings: { memoryTokens: 6 } }",
        `{ kind: memupdate, preset: tiny, settings: { embedder: ${embedder} } }`,
      )
      .concat(
        `reward: { name: memupdate, settings: { embedder: ${embedder}, score: { by: reader, reader: { path: frozen } } } }\n`,
      );
  const recipe = parseRecipe(text(local), "/data", "r.yaml");
  expect(recipe.agent.config).toMatchObject({ embedder: { model: "/data/embed" } });
  expect(recipe.reward.config).toMatchObject({
    embedder: { model: "/data/embed" },
    score: { reader: { path: "/data/frozen" } },
  });
  const moved = parseRecipe(portableRecipe(text(local), "/data", "r.yaml"), "/elsewhere", "r.yaml");
  expect(moved).toEqual(recipe);
  // A server's name for its model is no folder.
  expect(parseRecipe(text(served), "/data", "r.yaml").reward.config).toMatchObject({
    embedder: { model: "embed" },
  });
});

test("every setting that is described as relative to the recipe is one of its paths", () => {
  const described = (schema: z.ZodType) => {
    const text = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
    return {
      relative: text.match(/relative to the recipe/g)?.length ?? 0,
      marked: text.match(/"format":"path"/g)?.length ?? 0,
    };
  };
  for (const schema of [recipeSchema, ...agentKinds.map((kind) => kind.schema), ...rewardsOfRecipes]) {
    const { relative, marked } = described(schema);
    expect(marked).toBe(relative);
  }
  expect(described(recipeSchema).marked).toBeGreaterThan(10);
});

test("paths start from the recipe's folder in lists, in alternatives, and behind an alias", () => {
  const text = `${minimal}
curriculum:
  passRates: { path: rates.jsonl }
  mix: [{ weight: 1, data: { source: jsonl, path: other.jsonl } }]
start: { demonstrations: /abs/answers.jsonl }
evaluation: { files: [{ path: short.jsonl, lengthTokens: 8 }, &long { path: long.jsonl, lengthTokens: 64 }, *long] }
`;
  const { curriculum, start, evaluation } = parseRecipe(text, "/data", "r.yaml");
  expect(curriculum.passRates?.path).toBe("/data/rates.jsonl");
  expect(curriculum.mix[0]?.data).toMatchObject({ path: "/data/other.jsonl" });
  expect(start?.demonstrations).toBe("/abs/answers.jsonl");
  const files = evaluation?.files?.map(({ path }) => path);
  expect(files).toEqual(["/data/short.jsonl", "/data/long.jsonl", "/data/long.jsonl"]);
});

test("a model may have a name, an id of a hub with a revision, or be a checkpoint of another run", () => {
  const sourceOf = (model: string) =>
    parseRecipe(minimal.replace("{ path: ./base }", model), "/data", "r.yaml").model;
  expect(sourceOf("{ name: smollm2-135m-instruct }")).toEqual({ name: "smollm2-135m-instruct" });
  const hub = { hub: "Qwen/Qwen2.5-0.5B-Instruct", revision: "main" };
  expect(sourceOf(JSON.stringify(hub))).toEqual(hub);
  expect(sourceOf("{ checkpoint: runs/a }")).toEqual({ checkpoint: "/data/runs/a" });
  expect(
    portableRecipe(minimal.replace("{ path: ./base }", JSON.stringify(hub)), "/data", "r.yaml"),
  ).toContain("Qwen/Qwen2.5-0.5B-Instruct");
});

test.each([
  [
    "no model",
    minimal.replace("path: ./base", ""),
    /model: nothing is set; set exactly one of path, name, hub/,
  ],
  [
    "two models",
    minimal.replace("./base", "./base, name: x"),
    /model: path and name are set; set exactly one of/,
  ],
  [
    "a revision without a hub",
    minimal.replace("./base", "./base, revision: main"),
    /model\.revision: revision has no effect without hub/,
  ],
  [
    "an id that is none",
    minimal.replace("path: ./base", "hub: qwen"),
    /model\.hub: must be the id of a model on a hub, such as/,
  ],
  [
    "an unknown key",
    minimal.replace("steps: 3", "steps: 3, stepz: 4"),
    /r\.yaml: train: unknown key "stepz"; did you mean "steps"\?/,
  ],
  [
    "an unknown key that is like none",
    minimal.replace("steps: 3", "steps: 3, weather: 4"),
    /r\.yaml: train: unknown key "weather"; leave it out, or use one of /,
  ],
  [
    "a field of an alternative, in other letters",
    minimal.replace("groupSize: 4", "groupSize: 4, mini_batches: 2"),
    /learner: unknown key "mini_batches"; did you mean "miniBatches"\?/,
  ],
  ["a wrong type", minimal.replace("steps: 3", "steps: many"), /train\.steps: .*number/],
  ["a group of one", minimal.replace("groupSize: 4", "groupSize: 1"), /learner\.groupSize/],
  [
    "an unknown setting of the agent",
    minimal.replace("memoryTokens: 6", "memoryTokenz: 6"),
    /unknown key "memoryTokenz"; did you mean "memoryTokens"/,
  ],
  [
    "a setting of the agent beside its preset",
    minimal.replace("agent: { ", "agent: { memoryPrompt: hello, "),
    /^\[CONFIG_INVALID\] r\.yaml: agent\.memoryPrompt: is a setting; put it under agent\.settings$/,
  ],
  [
    "a prompt's file that does not exist",
    minimal.replace("memoryTokens: 6", "memoryPrompt: { file: none.txt }"),
    /^\[CONFIG_INVALID\] r\.yaml: agent\.settings\.memoryPrompt\.file: cannot read "none\.txt"/,
  ],
  ["YAML that is none", "name: [", /is not YAML: line 1, column 8.*: .*close what was opened$/],
  [
    "a tab",
    "name: x\ndata:\n\tsource: ruler\n",
    /line 3, column 1 \("\\tsource: ruler"\): a tab indents the line; indent with spaces$/,
  ],
  [
    "a name that stands twice",
    "name: x\nname: y\n",
    /line 2, column 1 \("name: y"\): this name stands twice.*keep one/,
  ],
  ["a quote that is not closed", 'name: "x\nseed: 1\n', /line 3.*close what was opened/],
  ["a colon in a value", "name: a: b\n", /line 1, column 7.*put a value that contains ": " in quotes/],
  ["a sign of YAML's own", "name: @x\n", /line 1, column 7 .*put it in quotes/],
  ["a second document", "name: x\n---\nname: y\n", /line 2.*a second document begins; keep one/],
  ["an alias without an anchor", "name: *nope\n", /the alias \*nope has no anchor &nope before it/],
  [
    "an alias of what it is in",
    "data: &x\n  ruler: *x\n",
    /an alias \(\*\) stands inside the value that it repeats/,
  ],
])("%s is an error of one line that names it", (_what, text, message) => {
  expect(() => parseRecipe(text, "/data", "r.yaml")).toThrowError(message);
  try {
    parseRecipe(text, "/data", "r.yaml");
  } catch (error) {
    expect((error as Error).message.split("\n")).toHaveLength(1);
  }
});

test("a missing file is named with what to give", () => {
  expect(() => readRecipe(join(folder, "absent.yaml"))).toThrowError(
    /absent\.yaml" cannot be read \(it does not exist: ENOENT\); give the path/,
  );
  for (const text of ["", "\n", "# later\r\n", "---\n# nothing yet\n...\n"]) {
    writeFileSync(join(folder, "empty.yaml"), text);
    expect(() => readRecipe(join(folder, "empty.yaml"))).toThrowError(
      /empty\.yaml: is empty; write the fields of the recipe into it$/,
    );
  }
  expect(() => readRecipe(folder)).toThrowError(/cannot be read \(it is a folder: EISDIR\)/);
  expect(() => readRecipe(join(folder, "quikstart.yaml"))).toThrowError(
    `did you mean ${JSON.stringify(join(builtinRecipesDir, "quickstart.yaml"))}?`,
  );
  writeFileSync(join(folder, "latin.yaml"), Buffer.from("name: caf\xe9\n", "latin1"));
  expect(() => readRecipe(join(folder, "latin.yaml"))).toThrowError(/it is not UTF-8 text.*; give the path/);
  writeFileSync(join(folder, "r.yaml"), minimal);
  expect(readRecipe(join(folder, "r.yaml")).recipe.model.path).toBe(join(folder, "base"));
});

test("the quickstart's recipe is valid and its model is there", () => {
  const { recipe } = readRecipe(join(builtinRecipesDir, "quickstart.yaml"));
  expect(recipe.name).toBe("quickstart");
  expect(recipe.evaluation?.lengths).toEqual([1, 2, 4, 8, 16]);
});
