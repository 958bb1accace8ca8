import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, loadBackend } from "@palimpsest/jit";
import { createLearner } from "@palimpsest/learner";
import {
  hashWeights,
  initModel,
  loadAdapters,
  type ModelFolder,
  mergeLora,
  parseModelInit,
  saveAdapters,
  saveModel,
} from "@palimpsest/model";
import { beforeAll, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { readRecipe } from "../recipe/recipe.js";
import { agentOfRun, holdsRunModel, readRunAdapters, readRunModel, supervisedFolder } from "./run-model.js";
import { checkpointDirOf } from "./run-paths.js";

const folder = fileFolder();
const base = join(folder, "base");
const options = { cacheDir: join(folder, "cache") };
let backend: Backend;
let model: ModelFolder;

beforeAll(async () => {
  backend = await loadBackend({ prefer: "cpu" });
  const init = parseModelInit({
    tokenizer: { vocabSize: 270 },
    model: { layers: 1, hiddenSize: 8, heads: 2, maxPositions: 32 },
  });
  model = { ...initModel(init, ["a b a b"]), generationConfig: { eos_token_id: [2, 0] } };
  await saveModel(base, model);
});

/** A run of which a learner with other weights has written a checkpoint. */
async function aRun(
  name: string,
  lora?: { readonly rank: number; readonly alpha: number },
  recipe: object = { model: { path: base } },
) {
  const runDir = join(folder, name);
  mkdirSync(runDir);
  writeFileSync(join(runDir, "run.json"), JSON.stringify({ runId: "r", recipe }));
  const parameters = Object.fromEntries(
    Object.entries(model.parameters).map(([key, values]) => [key, lora ? values : values.map((v) => v + 1)]),
  );
  const learner = createLearner({
    backend,
    model: model.config,
    parameters,
    config: {
      reference: "none",
      kl: { coefficient: 0 },
      buckets: [{ rows: 1, length: 4 }],
      ...(lora === undefined ? {} : { lora }),
    },
    objectives: ["supervised"],
    mode: "eager",
  });
  await learner.sft([{ tokenIds: [5, 6, 7], lossMask: [0, 1, 1] }]);
  const extra = { consumedGroupIds: [], dataCursor: null };
  const checkpoint = await learner.saveCheckpoint(checkpointDirOf(runDir), extra);
  const trained = learner.parameters();
  learner.close();
  return { runDir, checkpoint, trained };
}

test("a run is the model of its newest checkpoint with the tokenizer that it began with", async () => {
  const { runDir, checkpoint, trained } = await aRun("whole");
  for (const path of [runDir, checkpoint]) {
    expect(holdsRunModel(path)).toBe(true);
    const read = await readRunModel(path, options);
    expect(read.config).toEqual(model.config);
    expect(hashWeights(read.parameters)).toBe(hashWeights(trained));
    expect(read.tokenizer?.json).toEqual(model.tokenizer?.json);
    expect(read.generationConfig).toEqual(model.generationConfig);
  }
});

test("adapters of a run are merged into the weights that it began with", async () => {
  const { runDir, trained } = await aRun("adapters", { rank: 2, alpha: 4 });
  expect(hashWeights(trained)).not.toBe(hashWeights(model.parameters));
  expect(hashWeights((await readRunModel(runDir, options)).parameters)).toBe(hashWeights(trained));
});

test("adapters of a run go to a folder of their own, and merged into the base they are the run's model", async () => {
  const { runDir, checkpoint, trained } = await aRun("adapters alone", { rank: 2, alpha: 4 });
  const target = join(folder, "peft");
  const { model: config, ...read } = await readRunAdapters(runDir);
  expect(read).toMatchObject({ baseModel: base, policyVersion: 1 });
  await saveAdapters(target, config, read);
  const { adapters, lora, baseModel } = await loadAdapters(target, config);
  expect(baseModel).toBe(base);
  expect(hashWeights(mergeLora(config, model.parameters, adapters, lora))).toBe(hashWeights(trained));
  expect((await readRunAdapters(checkpoint)).adapters).toEqual(adapters);
  await expect(readRunAdapters((await aRun("no adapters")).runDir)).rejects.toThrow(
    /trained without `learner.lora`/,
  );
});

test("exported adapters name the weights that they were trained over, not what those came from", async () => {
  const lora = { rank: 2, alpha: 4 };
  const demonstrated = await aRun("demonstrated", lora, { model: { path: base }, start: {} });
  const supervised = supervisedFolder(demonstrated.runDir);
  expect(await readRunAdapters(demonstrated.checkpoint)).toMatchObject({ baseModel: supervised });
  const further = await aRun("further", lora, { model: { checkpoint: demonstrated.runDir } });
  expect((await readRunAdapters(further.runDir)).baseModel).toBe(join(further.runDir, "start"));
  const ofHub = await aRun("of a hub", lora, { model: { hub: "some/model" } });
  expect((await readRunAdapters(ofHub.checkpoint)).baseModel).toBe("some/model");
});

test("adapters of a checkpoint without its run name no base, and a model folder is no run", async () => {
  const { runDir, checkpoint } = await aRun("orphaned adapters", { rank: 2, alpha: 4 });
  rmSync(join(runDir, "run.json"));
  expect(await readRunAdapters(checkpoint)).not.toHaveProperty("baseModel");
  await expect(readRunAdapters(base)).rejects.toThrow(
    /NOT_FOUND.*neither run\.json nor checkpoint\.json; give the folder of a run/,
  );
});

test("a run without a checkpoint, and a checkpoint without its run, say what is missing", async () => {
  expect(holdsRunModel(base)).toBe(false);
  const begun = join(folder, "begun");
  mkdirSync(begun);
  writeFileSync(join(begun, "run.json"), JSON.stringify({ recipe: { model: { path: base } } }));
  await expect(readRunModel(begun, options)).rejects.toThrow(/no checkpoint yet/);
  const { checkpoint, runDir, trained } = await aRun("orphan");
  rmSync(join(runDir, "run.json"));
  await expect(readRunModel(checkpoint, options)).rejects.toThrow(/run\.json.*tokenizer/);
  const read = await readRunModel(checkpoint, { ...options, tokenizerFrom: base });
  expect(hashWeights(read.parameters)).toBe(hashWeights(trained));
});

test("a run's agent has the settings that it was trained with, read from the run or from a checkpoint", () => {
  const runDir = join(folder, "with-agent");
  const checkpoint = join(checkpointDirOf(runDir), "policy-00000001");
  mkdirSync(checkpoint, { recursive: true });
  writeFileSync(join(checkpoint, "checkpoint.json"), "{}");
  const { recipe } = readRecipe("recipes/memagent/smollm2-hotpotqa.yaml");
  writeFileSync(join(runDir, "run.json"), JSON.stringify({ runId: "r", recipe }));
  for (const path of [runDir, checkpoint]) expect(agentOfRun(path)).toEqual(recipe.agent);

  writeFileSync(
    join(runDir, "run.json"),
    JSON.stringify({ recipe: { agent: { kind: "other", config: {} } } }),
  );
  expect(() => agentOfRun(runDir)).toThrow(/run\.json.*agent/s);
  expect(() => agentOfRun(join(folder, "nowhere"))).toThrow(
    /does not exist, so the run's recipe is not known/,
  );
});
