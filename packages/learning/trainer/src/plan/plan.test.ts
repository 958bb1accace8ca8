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
import { plannedDevices, type StepWork, stepTime } from "./plan-time.js";
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

  it("holds what is on one machine against that machine's memory", async () => {
    const { needs } = await planRun(vime, nowhere);
    const problemsOf = async (nodes: number, memoryGib: number, actors = vime.rollout.actors) => {
      const rollout = { ...vime.rollout, actors };
      const plan = { questionTokens: 32, ...vime.plan, nodes, memoryGib };
      return (await planRun({ ...vime, rollout, plan }, nowhere)).problems;
    };
    const of = (bytes: number) => (bytes + needs.storeBytes) / 2 ** 30;
    const least = Math.max(of(needs.learnerBytes), of(needs.rolloutBytes));
    expect(await problemsOf(16, least + 1)).toEqual([]);
    expect(await problemsOf(512, of(0) + 1)).toEqual([
      expect.stringMatching(/^memory: one of 512 machines has 1 learner of .*plan\.memoryGib is/),
      expect.stringMatching(
        /^memory: one of 512 machines has 1 rollout actor of .*is \d[\d.]*; set learner\.lora, or use/,
      ),
    ]);
    // Of four machines one has two of five actors.
    expect(await problemsOf(4, of(2 * needs.rolloutBytes) - 1, 5)).toContainEqual(
      expect.stringMatching(
        /^memory: one of 4 machines has 2 rollout actors of .*; lower rollout\.actors, or/,
      ),
    );
  });

  it("takes no less time at most than is expected, in any part", async () => {
    const { agent, reward } = recipeAt("quickstart.yaml");
    // The included agent spares the types of the template's.
    const template = { ...recipeAt("templates/agent/recipe.yaml"), agent, reward };
    const { expected, atMost } = (await planRun(template, nowhere)).time;
    for (const [part, seconds] of Object.entries(expected))
      expect(Reflect.get(atMost, part), part).toBeGreaterThanOrEqual(seconds);
  });

  it("holds what lies on a GPU against the GPU's memory", async () => {
    const small: Recipe = { ...vime, plan: { ...vime.plan, questionTokens: 32, gpuGib: 40 } };
    const { problems } = await planRun(small, nowhere);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^plan\.gpuGib is 40, but the learner needs about \d+\.\d GiB on its GPU/);
    expect(problems[1]).toMatch(/a rollout actor needs about/);
  });

  it("says that a GPU's memory is not known", async () => {
    const noticesOf = async (recipe: Recipe) => {
      const notices: string[] = [];
      await planRun(recipe, { ...nowhere, onNotice: (text) => notices.push(text) });
      return notices.filter((text) => text.startsWith("plan.gpuGib: is absent"));
    };
    const { gpuGib: _, ...plan } = vime.plan ?? { questionTokens: 32 };
    expect(await noticesOf({ ...vime, plan })).toHaveLength(1);
    expect(await noticesOf(vime)).toEqual([]);
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

describe("stepTime", () => {
  const bucket = { rows: 4, length: 640 };
  const work: StepWork = {
    episodes: 32,
    turns: [{ promptTokens: 625, sampledTokens: 160, count: 4 }],
    longest: [{ promptTokens: 700, sampledTokens: 200 }],
    passes: [{ bucket, microBatches: 8, rowTokens: 640 }],
    optimizerSteps: 4,
    evaluated: { episodes: 0, factor: 0 },
  };
  const base = recipeAt("memagent/smollm2-hotpotqa.yaml");
  const timeOf = async (shape: string, changes: Partial<Recipe> = {}, given = work) => {
    const recipe = { ...base, ...changes };
    const model = await loadConfig(join(builtinRecipesDir, "shapes", shape));
    return stepTime(recipe, model, resolveLearnerConfig(recipe.learner), given);
  };
  const onGpu = { learnerGpus: 1, learner: { ...base.learner, precision: "bfloat16" as const } };

  it("grows with the model and falls with threads and adapters", async () => {
    const small = await timeOf("smollm2-135m");
    const large = await timeOf("qwen2.5-3b");
    expect(large.update / small.update).toBeGreaterThan(15);
    expect(large.sampling).toBeGreaterThan(10 * small.sampling);
    expect((await timeOf("smollm2-135m", { learnerThreads: 4 })).update).toBeLessThan(small.update);
    const whole = await timeOf("smollm2-135m", { learner: { ...base.learner, lora: null } });
    expect(whole.update / small.update).toBeGreaterThan(1.3);
    // Only adapters are published and saved.
    expect(whole.publishing / small.publishing).toBeGreaterThan(10);
    expect(whole.checkpoint / small.checkpoint).toBeGreaterThan(10);
  });

  it("takes a leased GPU for one of those that were measured", async () => {
    expect(plannedDevices({ ...base, ...onGpu }).learner).toBe("one H100, bfloat16");
    expect((await timeOf("qwen2.5-3b", onGpu)).update).toBeLessThan(
      (await timeOf("qwen2.5-3b")).update / 100,
    );
  });

  it("contains weights, checkpoints and evaluations; asynchronous steps on GPUs of their own take the longer half", async () => {
    const evaluation = { ...work, evaluated: { episodes: 32, factor: 1 } };
    const recipe = {
      ...onGpu,
      rollout: { ...base.rollout, gpus: 1, precision: "bfloat16" as const },
      evaluation: { ...(base.evaluation as NonNullable<Recipe["evaluation"]>), everySteps: 10 },
    };
    const { total, evaluation: asked, ...parts } = await timeOf("qwen2.5-3b", recipe, evaluation);
    const sum = Object.values(parts).reduce((all, part) => all + part, 0);
    expect(total).toBeCloseTo(sum + asked + 0.08);
    expect(asked).toBeGreaterThan(parts.sampling / 10);
    const train = { ...base.train, maxStaleness: 1 };
    const beside = await timeOf("qwen2.5-3b", { ...recipe, train }, evaluation);
    const { sampling, loading, update, publishing, checkpoint } = parts;
    expect(beside.total).toBeCloseTo(
      Math.max(sampling + loading, update + publishing + checkpoint) + asked + 0.08,
    );
    // Learner and sampler on one GPU wait for each other.
    const shared = { ...recipe, learnerGpus: 0.5, rollout: { ...recipe.rollout, gpus: 0.5 } };
    expect((await timeOf("qwen2.5-3b", { ...shared, train }, evaluation)).total).toBeGreaterThan(
      beside.total,
    );
  });

  it("computes micro-batches in rounds of the replicas, padding included, and the head at trained positions alone", async () => {
    const update = async (replicas: number, passes: StepWork["passes"]) => {
      const learner = { ...onGpu.learner, replicas };
      return (await timeOf("qwen2.5-3b", { ...onGpu, learner }, { ...work, passes })).update;
    };
    const nine = [{ bucket, microBatches: 9, rowTokens: 640 }];
    expect(await update(8, nine)).toBeGreaterThan(1.9 * (await update(8, work.passes)));
    const few = [{ bucket: { ...bucket, trainedTokens: 256 }, microBatches: 8, rowTokens: 640 }];
    expect((await update(1, few)) / (await update(1, work.passes))).toBeCloseTo(0.91, 1);
  });

  it("is at least the longest episode alone, however many actors and however large the batch", async () => {
    const [short, long] = [
      { promptTokens: 600, sampledTokens: 160 },
      { promptTokens: 600, sampledTokens: 3000 },
    ];
    const sampling = async (episodes: number, actors: number, maxBatch: number, turn = short) => {
      const given = { ...work, episodes, turns: [{ ...turn, count: 1 }], longest: [long] };
      const rollout = { ...base.rollout, actors, maxBatch, concurrency: 64 };
      return (await timeOf("smollm2-135m", { rollout }, given)).sampling;
    };
    const alone = await sampling(1, 1, 1, long);
    for (const [episodes, actors, maxBatch] of [
      [1, 1, 1],
      [16, 1, 16],
      [16, 1, 15],
      [16, 128, 16],
    ] as const)
      expect(await sampling(episodes, actors, maxBatch)).toBeGreaterThanOrEqual(alone);
    // Actors without an episode make no step faster, and an actor's episodes are whole.
    expect(await sampling(16, 128, 16)).toBe(await sampling(16, 16, 16));
    expect(await sampling(16, 9, 1)).toBe(await sampling(16, 8, 1));
  });

  it("is within a factor of two of what was measured: 16 requests of 135M parameters on two threads", async () => {
    // 64 tokens each for 16 requests at 187 tokens per second.
    const turn = { promptTokens: 0, sampledTokens: 64 };
    const sampling = { ...work, episodes: 16, turns: [{ ...turn, count: 1 }], longest: [turn] };
    const { sampling: seconds } = await timeOf("smollm2-135m", {}, sampling);
    expect(seconds).toBeGreaterThan(1024 / 187 / 2);
    expect(seconds).toBeLessThan((1024 / 187) * 2);
  });
});

describe("the speeds of a GPU", () => {
  const base = recipeAt("memagent/qwen2.5-7b.yaml");
  const device = {
    ...base.rollout,
    actors: 1,
    gpus: 1,
    precision: "bfloat16" as const,
    cacheTokens: undefined,
  };

  // bench/results/gpu-sampler-long.json: rows per second with prompts of 2,200 to 7,200 tokens and replies of 400.
  it.each([
    ["qwen2.5-3b", 64, 9.1],
    ["qwen3-4b", 40, 4.2],
    ["qwen2.5-7b", 64, 5.1],
  ])("%s with %i rows samples within 1.25 of what was measured", async (shape, rows, measured) => {
    const model = await loadConfig(join(builtinRecipesDir, "shapes", shape));
    const rollout = { ...device, maxBatch: rows, concurrency: rows };
    const turn = { promptTokens: 4700, sampledTokens: 400 };
    const { sampling } = stepTime({ ...base, rollout }, model, resolveLearnerConfig(base.learner), {
      ...{ episodes: 10_000, turns: [{ ...turn, count: 1 }], longest: [turn] },
      ...{ passes: [], optimizerSteps: 1, evaluated: { episodes: 0, factor: 0 } },
    });
    expect(10_000 / sampling / measured).toBeGreaterThan(1 / 1.25);
    expect(10_000 / sampling / measured).toBeLessThan(1.25);
  });

  // docs/measured.md: tokens per second of updates without a reference, on one H100 and on two H200, which are faster.
  it.each([
    ["qwen2.5-0.5b", 8, 1, 102_000],
    ["qwen2.5-3b", 4, 1, 21_700],
    ["qwen3-4b", 4, 1, 14_900],
    ["qwen2.5-3b", 4, 2, 46_200],
    ["qwen3-4b", 4, 2, 35_400],
    ["qwen2.5-7b", 4, 2, 19_100],
  ])(
    "%s with %i rows on %i GPUs trains at 0.7 to 1.25 of what was measured",
    async (shape, rows, replicas, measured) => {
      const model = await loadConfig(join(builtinRecipesDir, "shapes", shape));
      const bucket = { rows, length: 2048 };
      const { memory } = base.learner;
      const optimizerState = replicas > 1 ? ("sharded" as const) : ("whole" as const);
      const learner = { ...base.learner, replicas, memory: { ...memory, optimizerState } };
      const without = { kl: { coefficient: 0 }, reference: "none" as const, lora: null, miniBatches: 1 };
      const resolved = resolveLearnerConfig({
        ...learner,
        ...without,
        buckets: [bucket],
        microBatch: undefined,
      });
      const { update } = stepTime({ ...base, learner }, model, resolved, {
        ...{ episodes: 0, turns: [], longest: [], optimizerSteps: 1, evaluated: { episodes: 0, factor: 0 } },
        passes: [{ bucket, microBatches: replicas, rowTokens: 2048 }],
      });
      expect((replicas * rows * 2048) / update / measured).toBeGreaterThan(0.7);
      expect((replicas * rows * 2048) / update / measured).toBeLessThan(1.25);
    },
  );
});
