import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { baseRecipeSchema } from "./base-recipe.js";
import { formatStage, recallStage, rememberingTokenizer, repeatStage } from "./base-rows.js";
import { textIds, trainBaseTokenizer } from "./base-tokenizer.js";
import { learningRateAt } from "./make-base.js";

const recipes = join(import.meta.dirname, "../../../../../recipes");
const recipe = baseRecipeSchema.parse(parse(readFileSync(join(recipes, "quickstart-base.yaml"), "utf8")));
const bpe = trainBaseTokenizer(recipe);

describe("the quickstart's base recipe", () => {
  it("makes sentences of 4 tokens and answers of one", () => {
    for (const name of recipe.words.names) expect(bpe.encode(` ${name} likes bats.`)).toHaveLength(4);
    for (const value of recipe.words.values) expect(bpe.encode(`{${value}}`)).toHaveLength(3);
    for (const filler of recipe.words.fillers) expect(bpe.encode(filler)).toHaveLength(4);
    expect(bpe.vocabSize).toBeLessThanOrEqual(320);
  });

  it("is what the tokenizer of the base that comes along was made by", () => {
    const shipped = readFileSync(join(recipes, "bases/quickstart/tokenizer.json"), "utf8");
    expect(`${JSON.stringify(bpe.json)}\n`).toBe(shipped);
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
