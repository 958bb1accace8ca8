import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveLearnerConfig } from "@palimpsest/learner";
import { loadConfig } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { readRecipe } from "../recipe/recipe.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { planRun } from "../run/dry-run.js";
import { runTime } from "./plan-time.js";
import { approximateTokenizer } from "./plan-tokenizer.js";

const recipeAt = (file: string) => readRecipe(join(builtinRecipesDir, file)).recipe;
const nowhere = { cacheDir: "/nowhere", memoryBytes: 8 * 2 ** 30 };

describe("a plan without model and data", () => {
  const vime = recipeAt("memagent/qwen3-4b-vime.yaml");

  it("goes by the recipe's shape and lengths, and says so", async () => {
    const plan = await planRun(vime, nowhere);
    expect(plan.assumed).toEqual({ model: true, data: true });
    expect(plan.parameters / 1e9).toBeCloseTo(4.02, 2);
    // 28,000 tokens in chunks of 2048, and the answer.
    expect(plan.step.conversations).toBe(64 * 15);
    expect(plan.conversations.map(({ kind, replyTokens }) => [kind, replyTokens])).toEqual([
      ["memory", 1024],
      ["final", 256],
    ]);
  });

  it("is refused where the recipe does not say how long documents are", async () => {
    const { plan: _, ...silent } = vime;
    await expect(planRun(silent as Recipe, nowhere)).rejects.toThrow("hotpotqa-200.jsonl");
  });

  it("holds what lies on a GPU against the GPU's memory", async () => {
    const small: Recipe = { ...vime, plan: { ...vime.plan, questionTokens: 32, gpuGib: 40 } };
    const { problems } = await planRun(small, nowhere);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^plan\.gpuGib is 40, but the learner needs about \d+\.\d GiB on its GPU/);
    expect(problems[1]).toMatch(/a rollout actor needs about/);
  });
});

it("names the question whose prompt the model's tokenizer has no letters for", async () => {
  const quickstart = recipeAt("quickstart.yaml");
  const folder = testFolder();
  const path = join(folder, "data.jsonl");
  const row = {
    id: "q7",
    question: "what does ben like? #",
    answers: ["bats"],
    document: " ben likes bats.",
  };
  writeFileSync(path, `${JSON.stringify(row)}\n`);
  await expect(
    planRun({ ...quickstart, data: { source: "jsonl", path } as Recipe["data"] }, nowhere),
  ).rejects.toThrow(
    /\[CONFIG_INVALID\] agent: the model's tokenizer cannot encode what memagent asks about question "q7": "#" is outside/,
  );
});

describe("approximateTokenizer", () => {
  it("counts a token every four characters and reads its own ids back", () => {
    const tokenizer = approximateTokenizer();
    const ids = tokenizer.encode("<update>what was read</update>");
    expect(ids).toHaveLength(8);
    expect(tokenizer.decode(ids)).toBe("<update>what was read</update>");
    expect(tokenizer.specialTokenId("<|im_end|>")).toBe(tokenizer.specialTokenId("<|im_end|>"));
  });
});

describe("runTime", () => {
  const work = { promptTokens: 80_000, sampledTokens: 20_000, rowTokens: [2000, 500], rowsRepeated: 32 };
  const base = recipeAt("memagent/smollm2-hotpotqa.yaml");
  const timeOf = async (shape: string, changes: Partial<Recipe> = {}) => {
    const recipe = { ...base, ...changes };
    const model = await loadConfig(join(builtinRecipesDir, "shapes", shape));
    return runTime(recipe, model, resolveLearnerConfig(recipe.learner), work);
  };

  it("grows with the model and falls with threads and adapters", async () => {
    const small = await timeOf("smollm2-135m");
    const large = await timeOf("qwen2.5-3b");
    expect(large.updateSeconds / small.updateSeconds).toBeGreaterThan(15);
    expect(large.samplingSeconds).toBeGreaterThan(10 * small.samplingSeconds);
    expect((await timeOf("smollm2-135m", { learnerThreads: 4 })).updateSeconds).toBeLessThan(
      small.updateSeconds,
    );
    const whole = await timeOf("smollm2-135m", { learner: { ...base.learner, lora: null } });
    expect(whole.updateSeconds / small.updateSeconds).toBeGreaterThan(1.3);
    expect(small.totalSeconds).toBeCloseTo(base.train.steps * (small.samplingSeconds + small.updateSeconds));
  });

  it("takes a leased GPU for one of those that were measured", async () => {
    const onGpu = await timeOf("qwen2.5-3b", {
      learnerGpus: 1,
      learner: { ...base.learner, precision: "bfloat16" },
    });
    expect(onGpu.learnerDevice).toBe("one H100, bfloat16");
    expect(onGpu.updateSeconds).toBeLessThan((await timeOf("qwen2.5-3b")).updateSeconds / 100);
  });

  it("is within a factor of two of what was measured: 16 requests of 135M parameters on two threads", async () => {
    // 64 tokens each for 16 requests at 187 tokens per second.
    const sampling = { promptTokens: 0, sampledTokens: 1024, rowTokens: [], rowsRepeated: 1 };
    const model = await loadConfig(join(builtinRecipesDir, "shapes/smollm2-135m"));
    const { samplingSeconds } = runTime(base, model, resolveLearnerConfig(base.learner), sampling);
    expect(samplingSeconds).toBeGreaterThan(1024 / 187 / 2);
    expect(samplingSeconds).toBeLessThan((1024 / 187) * 2);
  });
});
