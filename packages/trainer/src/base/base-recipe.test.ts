import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtinRecipesDir } from "../model-source.js";
import { readRecipe } from "../recipe.js";
import { parseBaseRecipe, readBaseRecipe } from "./base-recipe.js";
import { formatStage, recallStage, rememberingTokenizer, repeatStage } from "./base-rows.js";
import { textIds, trainBaseTokenizer } from "./base-tokenizer.js";
import { learningRateAt } from "./make-base.js";

const path = join(builtinRecipesDir, "quickstart-base.yaml");
const recipe = readBaseRecipe(path);
const bpe = trainBaseTokenizer(recipe);

describe("the quickstart's base recipe", () => {
  it("speaks of the same words as the quickstart", () => {
    const { data, evaluation } = readRecipe(join(builtinRecipesDir, "quickstart.yaml")).recipe;
    for (const ruler of [data.source === "ruler" ? data.ruler : undefined, evaluation?.source]) {
      const { names, values, fillers } = recipe.words;
      expect(ruler).toMatchObject({ names, values, fillers });
    }
  });

  it("makes sentences of 4 tokens and answers of one", () => {
    for (const name of recipe.words.names) expect(bpe.encode(` ${name} likes bats.`)).toHaveLength(4);
    for (const value of recipe.words.values) expect(bpe.encode(`{${value}}`)).toHaveLength(3);
    for (const filler of recipe.words.fillers) expect(bpe.encode(filler)).toHaveLength(4);
    expect(bpe.vocabSize).toBeLessThanOrEqual(320);
  });

  it("is what the tokenizer of the base that comes along was made by", () => {
    const shipped = readFileSync(join(builtinRecipesDir, "bases/quickstart/tokenizer.json"), "utf8");
    expect(bpe.json).toEqual(JSON.parse(shipped));
  });

  it("gives each stage's rows by seed and step alone, as long as the stage says", async () => {
    const tokenizer = rememberingTokenizer(bpe);
    const stages = async (seed: number) => [
      repeatStage(recipe, seed, textIds(recipe, bpe)),
      recallStage(recipe, seed, tokenizer),
      await formatStage(recipe, seed, tokenizer),
    ];
    const [first, again, other] = [await stages(1), await stages(1), await stages(2)];
    for (const [place, rows] of first.entries()) {
      expect(rows(3)).toEqual(again[place]?.(3));
      expect(rows(3)).not.toEqual(rows(4));
      expect(rows(3)).not.toEqual(other[place]?.(3));
    }
    const [repeat, recall, format] = first;
    expect(new Set(repeat?.(0).map((row) => row.tokenIds.length))).toEqual(new Set([48]));
    expect(new Set(recall?.(0).map((row) => row.tokenIds.length))).toEqual(new Set([72]));
    expect(Math.max(...(format?.(0) ?? []).map((row) => row.tokenIds.length))).toBe(42);
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

describe("learningRateAt", () => {
  it("rises, stays, and falls to a twentieth", () => {
    const plan = { steps: 100, learningRate: 1, warmupSteps: 10, decayFrom: 0.6 };
    expect(learningRateAt(0, plan)).toBeCloseTo(0.1);
    expect(learningRateAt(30, plan)).toBe(1);
    expect(learningRateAt(80, plan)).toBeCloseTo(0.525);
    expect(learningRateAt(100, plan)).toBeCloseTo(0.05);
    expect(learningRateAt(99, { ...plan, decayFrom: 1 })).toBe(1);
  });
});
