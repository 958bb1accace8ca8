import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { EngineError } from "@palimpsest/engines";
import { computeAdvantages } from "@palimpsest/learner";
import { trajectoryReward } from "@palimpsest/rewards";
import { beforeEach, describe, expect, it } from "vitest";
import { nodeStackTraces } from "../../../../../test/support/node-stack-traces.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { parseRecipe } from "../recipe/recipe.js";
import { recipeTasks } from "../recipe/recipe-tasks.js";
import { carriedRecipe } from "./carried-recipe.js";
import { PlacedErrors } from "./placed-errors.js";
import { openRecipeModules } from "./recipe-modules.js";

let folder: string;
beforeEach(() => {
  nodeStackTraces();
  folder = testFolder();
});

function module(name: string, text: string): { readonly module: string } {
  writeFileSync(join(folder, name), text);
  return { module: `./${name}` };
}

const textOf = (changes: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    name: "own",
    model: { path: "builtin:quickstart" },
    agent: { preset: "tiny" },
    data: { source: "ruler", ruler: { count: 4, sentences: 8 } },
    learner: { buckets: [{ rows: 8, length: 64 }] },
    train: { steps: 1 },
    ...changes,
  });
const recipeOf = (changes: Readonly<Record<string, unknown>>) =>
  parseRecipe(textOf(changes), folder, "own.yaml");

const rewardOf = (score: string) => ({
  reward: module(
    "reward.mjs",
    `import { defineReward, z } from "@palimpsest/rewards";
import { helped } from "./helper.mjs";
export default defineReward({
  settings: z.strictObject({}),
  score: (task, episode) => ${score},
});`,
  ),
});
const helper = () => module("helper.mjs", `export function helped() {\n  throw new Error("no luck");\n}`);
const task = { id: "a", question: "", answers: ["x"], document: "", metadata: {} };
const episode = { answer: "", conversations: [], memorySteps: [], counters: {} };

async function scored(recipe: ReturnType<typeof recipeOf>) {
  const { reward } = (await openRecipeModules(recipe)).loaded;
  return await trajectoryReward(recipe.reward.config, reward ? { module: reward } : {})(task, episode);
}

describe("what a module throws while a run goes on", () => {
  it("has the field, the file and the line of a reward", async () => {
    helper();
    const place = (file: string) => join(folder, file).replaceAll(".", "\\.");
    await expect(scored(recipeOf(rewardOf(`task.nothing.length`)))).rejects.toThrow(
      new RegExp(`\\] reward\\.module: ${place("reward.mjs")}:5:\\d+: Cannot read properties of undefined`),
    );
    await expect(scored(recipeOf(rewardOf(`helped()`)))).rejects.toThrow(
      new RegExp(`\\] reward\\.module: ${place("helper.mjs")}:2:\\d+: no luck$`),
    );
    await expect(
      scored(recipeOf(rewardOf(`{ throw "words" }`.replace(/^.*$/, `(() => { throw "words"; })()`)))),
    ).rejects.toThrow(/reward\.module: .*reward\.mjs: threw words, which is not an Error$/);
    for (const [score, words] of [
      [`"1"`, "'1' for task a"],
      [`1n`, `1n for task a`],
      [`({ reward: 1, components: { a: NaN } })`, "components\\.a of NaN for task a"],
    ] as const)
      await expect(scored(recipeOf(rewardOf(score)))).rejects.toThrow(
        new RegExp(
          `^\\[BAD_REPLY\\] reward\\.module: ${place("reward.mjs")}:3:\\d+: score returned ${words}`,
        ),
      );
    // The components of a reward without any are none, and not the end of the run.
    expect(await scored(recipeOf(rewardOf(`({ reward: 1 })`)))).toEqual({ reward: 1, components: {} });
  });

  it("has the file and the line where the source is on another machine", async () => {
    helper();
    const carried = await carriedRecipe(textOf(rewardOf(`task.nothing.length`)), folder, "own.yaml");
    await expect(scored(parseRecipe(carried, "/elsewhere", "own.yaml"))).rejects.toThrow(
      /\] reward\.module: reward\.mjs:5:\d+: Cannot read properties of undefined/,
    );
  });

  it("has them for data, an advantage and an agent, too", async () => {
    const recipe = recipeOf({
      data: module(
        "data.mjs",
        `import { defineData, z } from "@palimpsest/datasets";
export default defineData({ settings: z.strictObject({}), *tasks() {
  throw new Error("no third line"); } });`,
      ),
      learner: {
        buckets: [{ rows: 8, length: 64 }],
        advantage: module(
          "advantage.mjs",
          `import { defineAdvantage, z } from "@palimpsest/learner";
export default defineAdvantage({ settings: z.strictObject({}), advantages(group) {
  if (group.length === 2) return;
  throw new Error("no group"); } });`,
        ),
      },
      agent: module(
        "agent.mjs",
        `import { defineAgent, z } from "@palimpsest/agents";
export default defineAgent({ kind: "own", settings: z.strictObject({}), stopTokens: ["<|end|>"], async run(task, episode) {
  await episode.ask("who", { maxTokens: 4 });
  throw new Error("no answer"); } });`,
      ),
    });
    const { loaded } = await openRecipeModules(recipe);
    await expect(recipeTasks("data", recipe.data, undefined, loaded.data)).rejects.toThrow(
      /\[CONFIG_INVALID\] data\.module: .*data\.mjs:3:\d+: no third line$/,
    );
    const advantages = loaded.advantage?.create({});
    const rewards = [1, 2, 3].map((reward) => ({ groupId: "g", trajectoryId: String(reward), reward }));
    const config = recipe.learner.advantage;
    if (config === undefined || advantages === undefined) throw new Error("no advantage");
    expect(() => computeAdvantages(rewards, config as never, advantages)).toThrow(
      /learner\.advantage\.module: .*advantage\.mjs:4:\d+: no group$/,
    );
    expect(() => computeAdvantages(rewards.slice(1), config as never, advantages)).toThrow(
      /advantage\.mjs" returned \[\] for a group of 2 episodes/,
    );
    const tokenizer = wordTokenizer();
    const sampler = scriptedSampler({ tokenizer, reply: () => "ben" });
    const own = loaded.agent ? { module: loaded.agent } : {};
    const agent = createAgent(recipe.agent, { tokenizer, sampler, ...own });
    await expect(agent.run({ question: "", document: "" })).rejects.toThrow(
      /\[CONFIG_INVALID\] agent\.module: .*agent\.mjs:4:\d+: no answer$/,
    );
    // An engine that is away is not the agent's fault, and goes by its class.
    const away = new EngineError("UNREACHABLE", "gone");
    const failing = { generate: () => Promise.reject(away) };
    const other = createAgent(recipe.agent, { tokenizer, sampler: failing, ...own });
    expect(await other.run({ question: "", document: "" }).catch((reason: unknown) => reason)).toBe(away);
  });
});

it("settings of a module are refused with their value, and with what an unknown one may have meant", async () => {
  const agent = module(
    "agent.mjs",
    `import { defineAgent, z } from "@palimpsest/agents";
export default defineAgent({ kind: "own", stopTokens: ["<|end|>"], run() {},
  settings: z.strictObject({ callForm: z.enum(["hermes", "lines"]), deep: z.strictObject({ most: z.int().default(1) }).prefault({}) }) });`,
  );
  const refused = async (settings: object) =>
    await openRecipeModules(recipeOf({ agent: { ...agent, settings } })).catch((reason: unknown) =>
      String(reason),
    );
  expect(await refused({ callFrom: "xml", deep: { mots: 2 } })).toMatch(
    /agent\.settings\.callForm: must be "hermes" or "lines"; it is missing \| agent\.settings\.deep: unknown key "mots"; did you mean "most"\? \| agent\.settings: unknown key "callFrom"; did you mean "callForm"\? \(according to the schema in agent\.mjs\)/,
  );
  expect(await refused({ callForm: "xml" })).toMatch(
    /agent\.settings\.callForm: must be "hermes" or "lines"; it is "xml" \(according to the schema in agent\.mjs\)/,
  );
});

it("names files of bundles by their folders, in any letters, and a file beside the module, too", () => {
  const placed = (folder: string, name: string) => {
    const error = new Error("broke");
    const inMap = encodeURI(name).replaceAll("#", "%23");
    error.stack = `Error: broke\n    at score (app:${inMap}:5:2)\n    at reward (app:reward.mjs:9:1)`;
    return new PlacedErrors({ field: "reward", file: "reward.mjs", sourceFolder: folder }).placeOf(error);
  };
  expect(placed("/nowhere/C# 项目", "帮助 #1.mjs")).toBe("/nowhere/C# 项目/帮助 #1.mjs:5:2");
  expect(placed("/nowhere/100% x", "reward.mjs")).toBe("/nowhere/100% x/reward.mjs:5:2");
  expect(placed("", "帮助.mjs")).toBe("reward.mjs:9:1");
});
