/**
 * Measures whole steps of a recipe in one process on one GPU: seconds of rollouts, of the update and of the rest
 * (weights from learner to sampler), episodes and tokens per second, the GPU's utilization, and rewards on held-out
 * questions before and after.
 * `--model`, `--data` and `--evaluation` replace the recipe's; prepare the files as the recipe's head says.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/grpo-run.ts [--recipe FILE] [--steps 10] [--model FOLDER]
 * [--data FILE] [--evaluation FILE] [--seed N] [--shuffle] [--evaluate-every STEPS] [--limit-seconds 300] [--json FILE]
 */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { readRecipe } from "../../packages/learning/trainer/src/index.js";
import type { Recipe } from "../../packages/learning/trainer/src/recipe/recipe-schema.js";
import type { InProcessPolicy } from "../../packages/learning/trainer/src/run/train-in-process.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { type CurvePoint, runInProcess } from "../learning/in-process-run.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  recipe: "recipes/memagent/smollm2-hotpotqa-gpu.yaml",
  steps: "10",
  model: undefined,
  data: undefined,
  evaluation: undefined,
  seed: undefined,
  shuffle: false,
  "evaluate-every": undefined,
  "limit-seconds": "300",
  json: undefined,
});

/**
 * Measures the share of time in which a kernel ran, as nvidia-smi reports it four times per second; NaN without
 * nvidia-smi.
 */
class BusyWatch {
  readonly #samples: { readonly atMs: number; readonly share: number }[] = [];
  readonly #child;

  constructor() {
    const query = ["-i", "0", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "250"];
    this.#child = spawn("nvidia-smi", query, { stdio: ["ignore", "pipe", "ignore"] });
    this.#child.on("error", () => undefined);
    this.#child.stdout.on("data", (text: Buffer) => {
      for (const line of text.toString().trim().split("\n"))
        this.#samples.push({ atMs: performance.now(), share: Number(line) / 100 });
    });
  }

  mean(fromMs: number, toMs: number): number {
    const own = this.#samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return own.reduce((sum, { share }) => sum + share, 0) / own.length;
  }

  end(): void {
    this.#child.kill();
  }
}

function chosenRecipe(): Recipe {
  const { recipe } = readRecipe(flags.recipe);
  const { evaluation } = recipe;
  const files = flags.evaluation && [{ path: resolve(flags.evaluation), lengthTokens: 210 }];
  return {
    ...recipe,
    ...(flags.model ? { model: { ...recipe.model, name: undefined, path: resolve(flags.model) } } : {}),
    ...(flags.data ? { data: { source: "jsonl", path: resolve(flags.data) } } : {}),
    ...(evaluation && files ? { evaluation: { ...evaluation, files } } : {}),
    train: { ...recipe.train, steps: Number(flags.steps) },
  } as Recipe;
}

const seen = new Map<string, { readonly calls: number; readonly totalMs: number }>();

/** Returns the calls and milliseconds per call of each function since the last time this was called. */
function calledSince(policy: InProcessPolicy): Record<string, readonly [calls: number, msPerCall: number]> {
  const { sampler, learner } = policy.functionStats();
  const called: Record<string, readonly [number, number]> = {};
  for (const [name, { calls, totalMs }] of Object.entries({ ...sampler, ...learner })) {
    const before = seen.get(name) ?? { calls: 0, totalMs: 0 };
    seen.set(name, { calls, totalMs });
    const own = calls - before.calls;
    if (own > 0) called[name] = [own, round((totalMs - before.totalMs) / own)];
  }
  return called;
}

const startedMs = performance.now() - process.uptime() * 1000;
const round = (value: number): number => Number(value.toFixed(3));
const since = (): number => round((performance.now() - startedMs) / 1000);
const recipe = chosenRecipe();
const busy = new BusyWatch();
const points: object[] = [];
const steps: { readonly wholeSeconds: number; readonly endedMs: number }[] = [];
let lastMs = performance.now();
setTimeout(() => {
  console.log(JSON.stringify({ failed: `not done after ${flags["limit-seconds"]} s`, steps, points }));
  process.exit(1);
}, Number(flags["limit-seconds"]) * 1000).unref();

const onEvaluation = ({ step, sets }: CurvePoint): void => {
  lastMs = performance.now();
  points.push({ step, atSeconds: since(), measures: sets[0]?.measures, failures: sets[0]?.failures });
  console.log(JSON.stringify(points.at(-1)));
};
await runInProcess({
  recipe,
  seed: flags.seed === undefined ? recipe.seed : Number(flags.seed),
  shuffleRewards: flags.shuffle,
  threads: 8,
  ...(flags["evaluate-every"] === undefined ? {} : { evaluateEvery: Number(flags["evaluate-every"]) }),
  onEvaluation,
  onStep: (update, step, rolloutSeconds, policy) => {
    const now = performance.now();
    const wholeSeconds = (now - lastMs) / 1000;
    const updateSeconds = update.durationMs / 1000;
    const said = {
      step,
      atSeconds: since(),
      wholeSeconds: round(wholeSeconds),
      rolloutSeconds: round(rolloutSeconds),
      updateSeconds: round(updateSeconds),
      restSeconds: round(wholeSeconds - rolloutSeconds - updateSeconds),
      busyShare: round(busy.mean(lastMs, now)),
      reward: round(update.rewardMean),
      gradientNorm: round(update.gradientNorm),
      // This compares sampler and learner under the same weights, so what remains is rounding.
      logprobDifferenceMean: Number(update.freshLogprobDifferenceMean.toExponential(2)),
      logprobDifferenceMax: round(update.logprobDifferenceMax),
      entropyNats: round(update.entropy),
      functions: calledSince(policy),
    };
    steps.push({ ...said, endedMs: now });
    console.log(JSON.stringify(said));
    lastMs = now;
  },
});
busy.end();
const warm = steps.slice(Math.floor(steps.length / 2));
const result = {
  recipe: recipe.name,
  episodesPerStep: recipe.train.groupsPerStep * recipe.learner.groupSize,
  medianStepSeconds: round(median(warm.map(({ wholeSeconds }) => wholeSeconds))),
  seconds: since(),
  steps,
  points,
};
console.log(JSON.stringify({ ...result, steps: steps.length }));
if (flags.json !== undefined) writeResult(flags.json, result);
process.exit(0);
