import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { trajectoryReward } from "@palimpsest/rewards";
import { beforeEach, describe, expect, it } from "vitest";
import { nodeStackTraces } from "../../../../../test/support/node-stack-traces.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { parseRecipe } from "../recipe/recipe.js";
import { openRunFolder } from "../run-folder/run-folder.js";
import { agentModuleOfRun, agentOfRun } from "../run-folder/run-model.js";
import { carriedRecipe } from "./carried-recipe.js";
import { loadKeptModules } from "./kept-modules.js";
import { keptRecipe, openRecipeModules } from "./recipe-modules.js";

let folder: string;

beforeEach(() => {
  nodeStackTraces();
  folder = testFolder();
});

const recipeOf = (changes: Readonly<Record<string, unknown>>) =>
  parseRecipe(
    JSON.stringify({
      name: "own",
      model: { path: "builtin:quickstart" },
      agent: { preset: "tiny" },
      data: { source: "ruler", ruler: { count: 4, sentences: 8 } },
      learner: { buckets: [{ rows: 8, length: 64 }] },
      train: { steps: 1 },
      ...changes,
    }),
    folder,
    "own.yaml",
  );

/** JavaScript: nothing is type-checked, so the test is quick. */
function module(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return `./${name}`;
}

const agentText = (body: string) => `
import { defineAgent, z } from "@palimpsest/agents";
export default defineAgent({
  kind: "echo",
  settings: z.strictObject({ word: z.string().min(2).default("yes") }),
  stopTokens: ["<|end|>"],
  ${body}
});`;

const echo = agentText(`async run(task, episode, { word }) {
    const { text } = await episode.ask(task.question + " " + word, { maxTokens: 8, kind: "final" });
    episode.count("asked", 2);
    return { answer: text, memory: String(episode.random()) };
  },`);

describe("modules of a recipe", () => {
  it("MODULE-2: make agent, reward, data and advantage out of the user's own files", async () => {
    const recipe = recipeOf({
      agent: { module: module("agent.mjs", echo), settings: { word: "no" } },
      reward: {
        module: module(
          "reward.mjs",
          `import { defineReward, z } from "@palimpsest/rewards";
           export default defineReward({ settings: z.strictObject({ by: z.number().default(1) }),
             score: (task, episode, { settings }) => settings.by * episode.answer.length });`,
        ),
        settings: { by: 2 },
      },
      data: {
        module: module(
          "data.mjs",
          `import { defineData, z } from "@palimpsest/datasets";
           export default defineData({ settings: z.strictObject({}), async *tasks() {
             yield { id: "a", question: "who", answers: ["x"], document: "d", metadata: {} }; } });`,
        ),
      },
      learner: {
        buckets: [{ rows: 8, length: 64 }],
        advantage: {
          module: module(
            "advantage.mjs",
            `import { defineAdvantage, z } from "@palimpsest/learner";
             export default defineAdvantage({ settings: z.strictObject({}), advantages: (group) => group.map((_, i) => i) });`,
          ),
        },
      },
    });
    const { built, loaded } = await openRecipeModules(recipe);
    expect(built.map(({ role, file }) => [role, file])).toEqual([
      ["agent", "agent.mjs"],
      ["reward", "reward.mjs"],
      ["data", "data.mjs"],
      ["advantage", "advantage.mjs"],
    ]);
    expect((await openRecipeModules(recipe)).loaded.agent).toBe(loaded.agent);
    const tokenizer = wordTokenizer();
    const sampler = scriptedSampler({ tokenizer, reply: (prompt) => prompt });
    const agent = createAgent(recipe.agent, {
      tokenizer,
      sampler,
      ...(loaded.agent ? { module: loaded.agent } : {}),
    });
    const run = () => agent.run({ question: "who", document: "" }, { seed: 3 });
    const episode = await run();
    expect(agent.name).toBe("echo");
    expect(episode).toMatchObject({ answer: "who no", counters: { asked: 2 } });
    expect(episode.conversations).toMatchObject([{ kind: "final", step: 0, stopReason: "stop" }]);
    expect((await run()).memory).toBe(episode.memory);
    const reward = trajectoryReward(recipe.reward.config, loaded.reward ? { module: loaded.reward } : {});
    const task = { id: "a", question: "", answers: ["x"], document: "", metadata: {} };
    expect(await reward(task, { ...episode, memorySteps: [] })).toEqual({ reward: 12, components: {} });
    expect(loaded.advantage?.create({})([]) ?? "none").toEqual([]);
  });

  it("run the guide's agent with tools as it is printed", async () => {
    const guide = readFileSync(
      new URL("../../../../../docs/guides/your-own-agent.md", import.meta.url),
      "utf8",
    );
    const printed = guide
      .split("```")
      .find((block) => block.startsWith("ts\n") && block.includes("defineTool("));
    if (printed === undefined) throw new Error("the guide prints no agent with tools");
    const recipe = recipeOf({
      agent: { module: module("clerk.ts", printed.slice("ts\n".length)), settings: { callForm: "lines" } },
    });
    const { loaded } = await openRecipeModules(recipe);
    const turns = ["search key\nadd 2 40", "under the mat"];
    const tokenizer = wordTokenizer();
    const sampler = scriptedSampler({ tokenizer, reply: () => turns.shift() ?? "" });
    const agent = createAgent(recipe.agent, {
      tokenizer,
      sampler,
      ...(loaded.agent ? { module: loaded.agent } : {}),
    });
    const document = "The boat is red. The key is under the mat.";
    const { answer, conversations, counters } = await agent.run({ question: "Where is the key?", document });
    expect(answer).toBe("under the mat");
    expect(tokenizer.decode([...(conversations[0]?.sampledTokenIds ?? [])])).toBe(
      "search key\nadd 2 40<|end|>\n[1] The key is under the mat.\n42\nanswer:under the mat<|end|>",
    );
    expect(counters).toMatchObject({
      "tool_call_counts.search": 1,
      "tool_call_counts.add": 1,
      done_calls: 2,
    });
  });

  it.each([
    ["syntax", "export default (", /agent\.module: .*agent\.mjs:1:\d+: ERROR: Unexpected end of file$/],
    ["what it throws", `throw new Error("no luck");`, /agent\.mjs:1.*: threw while it was imported: no luck/],
    [
      "no default export",
      "export const agent = 1;",
      /agent\.mjs:1: the default export is missing or has no kind \(exports: agent\); write `export default defineAgent/,
    ],
    [
      "a module for something else",
      `import { defineReward, z } from "@palimpsest/rewards";
       export default defineReward({ settings: z.object({}), score: () => 1 });`,
      /the default export is of the kind "reward"; write `export default defineAgent/,
    ],
    [
      "settings",
      echo,
      /^\[CONFIG_INVALID\] agent\.settings\.word: .*\(according to the schema in agent\.mjs\)|agent\.settings\.word: /,
    ],
    [
      "a schema that throws",
      echo.replace(".min(2)", `.refine(() => {\n throw new Error("odd"); })`),
      /agent\.mjs:6:\d+: the schema of the settings threw: odd/,
    ],
  ])("are refused before anything starts: %s", async (_what, text, message) => {
    const recipe = recipeOf({ agent: { module: module("agent.mjs", text), settings: { word: "x" } } });
    await expect(openRecipeModules(recipe)).rejects.toThrow(message);
  });

  it("are refused with file and line where a type is wrong", async () => {
    cpSync(join(builtinRecipesDir, "templates/agent"), folder, { recursive: true });
    writeFileSync(
      join(folder, "typo.ts"),
      agentText(`async run(task, episode) {\n    episode.remember("x");\n    return { answer: 1 };\n  },`),
    );
    const none = openRecipeModules(recipeOf({ agent: { module: "./none.ts" } }));
    await expect(none).rejects.toThrow(/file .*none\.ts does not exist/);
    // An agent where a reward belongs.
    const wrong = openRecipeModules(
      recipeOf({ agent: { module: "./typo.ts" }, reward: { module: "./agent.ts" } }),
    );
    const said = await wrong.catch((reason: unknown) => String(reason));
    expect(said).toMatch(/agent\.module, reward\.module: type errors: /);
    expect(said).toMatch(/typo\.ts:8:13: Property 'remember' does not exist/);
    expect(said).toMatch(
      /agent\.ts:1: the default export has the wrong type .*write `export default defineReward/,
    );
  });

  it("MODULE-1: are kept with a run, which goes on with the same code or not at all", async () => {
    const file = module("agent.mjs", echo);
    const recipe = recipeOf({ agent: { module: file } });
    const runDir = join(folder, "run");
    const { built } = await openRecipeModules(recipe);
    const first = await openRunFolder(runDir, recipe, false, built);
    expect((await loadKeptModules(runDir, ["agent"])).agent?.kind).toBe("echo");
    // What `ask` and `eval trained` make it again from, the sources gone.
    expect(agentOfRun(runDir)).toEqual(keptRecipe(recipe, built).agent);
    expect((await agentModuleOfRun(join(runDir, "checkpoints", "policy-00000001")))?.kind).toBe("echo");

    const again = await openRunFolder(runDir, recipe, false, (await openRecipeModules(recipe)).built);
    expect([again.runId, again.resumed]).toEqual([first.runId, true]);

    module("agent.mjs", echo.replace("asked", "counted"));
    const changed = await openRecipeModules(recipe);
    await expect(openRunFolder(runDir, recipe, false, changed.built)).rejects.toThrow(
      /agent\.module: agent\.mjs has changed since the run .* was begun/,
    );
  });

  it("MODULE-1: travel inside a recipe, the same bytes", async () => {
    const text = JSON.stringify({
      name: "own",
      model: { path: "builtin:quickstart" },
      agent: { module: module("agent.mjs", echo) },
      data: { source: "ruler", ruler: { count: 4, sentences: 8 } },
      learner: { buckets: [{ rows: 8, length: 64 }] },
      train: { steps: 1 },
    });
    const moved = parseRecipe(await carriedRecipe(text, folder, "own.yaml"), "/elsewhere", "own.yaml");
    const here = parseRecipe(text, folder, "own.yaml");
    const [there, original] = [await openRecipeModules(moved), await openRecipeModules(here)];
    expect(keptRecipe(moved, there.built).agent).toEqual(keptRecipe(here, original.built).agent);
    expect(there.built[0]?.file).toBe("agent.mjs");
  });
});
