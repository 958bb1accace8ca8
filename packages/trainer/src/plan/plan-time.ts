import { type ResolvedLearnerConfig, trainingFlops } from "@palimpsest/learner";
import { type ModelConfig, parameterCount } from "@palimpsest/model";
import type { Recipe } from "../recipe.js";

/** What a step computes, by the episodes looked at. */
export interface StepWork {
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** Tokens of training rows, prompt and reply, and how many times these rows are a step's. */
  readonly rowTokens: readonly number[];
  readonly rowsRepeated: number;
}

/** Of a whole run without its evaluations, seconds. */
export interface RunTime {
  readonly samplingSeconds: number;
  readonly updateSeconds: number;
  readonly totalSeconds: number;
  /** What rollout actors and learner were taken to run on. */
  readonly rolloutDevice: string;
  readonly learnerDevice: string;
}

/**
 * Speeds that were measured (bench/results), as rates that scale with a model's size. Reading weights limits small
 * batches, arithmetic large ones; a decoding step takes both.
 */
interface Device {
  readonly name: string;
  /** Weights read in decoding, bytes a second. */
  readonly weightBytesPerSecond: number;
  readonly decodeFlops: number;
  readonly prefillFlops: number;
  readonly trainFlops: number;
}

/**
 * Per compute thread, of a server core of an x86 processor: SmolLM2-135M sampled 20 tokens a second alone and 187 at 16 at
 * once on two threads and read 670 prompt tokens a second; 3.4M parameters were trained at 9,100 tokens a second.
 */
function processor(threads: number): Device {
  return {
    name: `${threads} processor ${threads === 1 ? "thread" : "threads"}`,
    weightBytesPerSecond: 5.4e9 * threads,
    decodeFlops: 6e10 * threads,
    prefillFlops: 9e10 * threads,
    trainFlops: 9.3e10 * threads,
  };
}

/**
 * One H100: 0.5B parameters in bfloat16 were trained at 49,000 tokens a second (in float32 at 22,700) and sampled at
 * 18,800 with 64 at once.
 */
function h100(precision: "float32" | "bfloat16"): Device {
  const half = precision === "bfloat16";
  return {
    name: `one H100, ${precision}`,
    weightBytesPerSecond: 5.5e11,
    decodeFlops: half ? 4e13 : 2e13,
    prefillFlops: half ? 1.7e14 : 7.9e13,
    trainFlops: half ? 1.7e14 : 7.9e13,
  };
}

/** A forward pass beside a training pass, which is one forward and two of a backward's size. */
const forwardShare = 1 / 3;

/** At most: no reply ends early. Models far smaller than those measured, and short prompts, take longer than this says. */
export function runTime(
  recipe: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  { promptTokens, sampledTokens, rowTokens, rowsRepeated }: StepWork,
): RunTime {
  const { rollout, learner, train } = recipe;
  const rolloutDevice = rollout.gpus > 0 ? h100(rollout.precision) : processor(rollout.threads);
  const learnerDevice = recipe.learnerGpus > 0 ? h100(learner.precision) : processor(recipe.learnerThreads);
  const parameters = parameterCount(model);
  const episodes = train.groupsPerStep * learner.groupSize;
  const batch = Math.min(rollout.maxBatch, rollout.concurrency, Math.ceil(episodes / rollout.actors));
  const bytes = parameters * (rollout.precision === "bfloat16" ? 2 : 4);
  const decodeStepSeconds =
    bytes / rolloutDevice.weightBytesPerSecond + (2 * parameters * batch) / rolloutDevice.decodeFlops;
  const samplingSeconds =
    ((sampledTokens / batch) * decodeStepSeconds +
      (2 * parameters * promptTokens) / rolloutDevice.prefillFlops) /
    rollout.actors;
  const passes =
    config.epochs +
    (config.oldLogprobs === "recompute" ? forwardShare : 0) +
    (config.reference === "initial" ? forwardShare : 0);
  const updateSeconds = (trainingFlops(model, rowTokens) * rowsRepeated * passes) / learnerDevice.trainFlops;
  return {
    samplingSeconds,
    updateSeconds,
    totalSeconds: train.steps * (samplingSeconds + updateSeconds),
    rolloutDevice: rolloutDevice.name,
    learnerDevice: learnerDevice.name,
  };
}
