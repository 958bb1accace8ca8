import { readFileSync } from "node:fs";
import { join } from "node:path";
import { trainBaseTokenizer } from "@palimpsest/small-world/base";
import { describe, expect, it } from "vitest";
import { parseBaseRecipe, readBaseRecipe } from "./base-recipe-file.js";
import { builtinRecipesDir } from "./model-source.js";
import { readRecipe } from "./recipe.js";

const path = join(builtinRecipesDir, "quickstart-base.yaml");

describe("the quickstart's base recipe", () => {
  it("speaks of the same words as the quickstart", () => {
    const { data, evaluation } = readRecipe(join(builtinRecipesDir, "quickstart.yaml")).recipe;
    for (const ruler of [data.source === "ruler" ? data.ruler : undefined, evaluation?.source]) {
      const { names, values, fillers } = readBaseRecipe(path).words;
      expect(ruler).toMatchObject({ names, values, fillers });
    }
  });
});

describe("parseBaseRecipe", () => {
  const text = readFileSync(path, "utf8");

  it("names an unknown key, and a vocabulary without room for every word", () => {
    expect(() => parseBaseRecipe(`${text}\nspeed: 2\n`)).toThrow('unknown key "speed"');
    expect(() => parseBaseRecipe(text.replace("scriptedPolicy:", "habits:"))).toThrow(
      'unknown key "habits"; did you mean "scriptedPolicy"?',
    );
    const small = parseBaseRecipe(text.replace(/vocabSize: \d+/, "vocabSize: 120"));
    expect(() => trainBaseTokenizer(small)).toThrow("with 120");
    expect(() => readBaseRecipe("/nowhere/base.yaml")).toThrow("cannot be read");
  });
});
