import { readdirSync } from "node:fs";
import { initParameters } from "@palimpsest/model";
import { createLogger } from "@palimpsest/telemetry";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { parseRecipe } from "../recipe/recipe.js";
import { RolloutEngine } from "./rollout-engine.js";
import { model, tokenizer } from "./small-policy.fixture.js";

let root: string;
beforeEach(() => {
  root = testFolder();
});

it("leaves no weights on the disk where the server cannot be used", async () => {
  // It reports the log-probs of temperature 1: a reason to end at once.
  const vllm = `
    const logprobs = { token_logprobs: [-0.5], top_logprobs: [{ "token_id:0": -0.5, "token_id:1": -0.93 }] };
    const choices = [{ token_ids: [0], logprobs, finish_reason: "length" }];
    require("node:http").createServer((request, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ choices }));
    }).listen(Number(process.argv[1]), "127.0.0.1");`;
  const recipe = parseRecipe(
    JSON.stringify({
      name: "engines",
      model: { path: "./base" },
      agent: { preset: "tiny" },
      data: { source: "ruler", ruler: { sentences: 4 } },
      learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] },
      rollout: {
        maxTokens: 64,
        temperature: 0.6,
        engine: {
          kind: "vllm",
          weightsDir: root,
          start: { command: process.execPath, arguments: ["-e", vllm, "{port}", "{model}"] },
        },
      },
      train: { steps: 3 },
    }),
    root,
  );
  const { engine } = recipe.rollout;
  if (engine === undefined) throw new Error("the recipe has an engine");
  const context = {
    environment: process.env,
    logger: createLogger({ component: "test", level: "silent" }),
    signal: new AbortController().signal,
  };
  const rollout = await RolloutEngine.open(
    engine,
    0,
    { runId: "run-1", model, recipe },
    { tokenizer, context },
  );
  const following = rollout.follow(
    async () => {
      throw new Error("no episode may be taken");
    },
    async () => ({
      manifest: { policyVersion: 0, weightsHash: "hash" },
      parameters: initParameters(model, 1),
    }),
  );
  await expect(following).rejects.toThrow(/NOT_TRAINABLE.*--logprobs-mode processed_logprobs/);
  expect(readdirSync(root)).toEqual([]);
});
