import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRecipe } from "@palimpsest/trainer";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { trainedAgent } from "./trained-agent.js";

const folder = fileFolder();

const needle = "recipes/memagent/needle.yaml";
const lookBack = "recipes/rememr1/look-back.yaml";
const agentOf = (recipe: string) => readRecipe(recipe).recipe.agent;
function aRun(name: string, recipe: string): string {
  const run = join(folder, name);
  mkdirSync(run);
  writeFileSync(join(run, "run.json"), JSON.stringify({ recipe: readRecipe(recipe).recipe }));
  return run;
}

test("a trained system is the agent of its own run, of the evaluated run on another model, or of the recipe that is named", () => {
  const first = aRun("first", needle);
  const second = aRun("second", lookBack);
  expect(trainedAgent(undefined, first, first)).toEqual(agentOf(needle));
  expect(trainedAgent(undefined, "some-base", first)).toEqual(agentOf(needle));
  expect(trainedAgent(undefined, second, first)).toEqual(agentOf(lookBack));
  expect(trainedAgent(lookBack, first, first)).toEqual(agentOf(lookBack));
  expect(() => trainedAgent(undefined, "some-base", "another")).toThrow(
    /--model another is not the folder of a run; .*--set/,
  );
});
