import { sizeOf } from "@palimpsest/jit";
import { type ResolvedLearnerConfig, trainingFlops } from "@palimpsest/learner";
import { type LoraConfig, loraForm, loraShapes, type ModelConfig, parameterCount } from "@palimpsest/model";
import type { Recipe } from "../recipe/recipe-schema.js";

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
  /** Weights read in decoding, bytes per second. */
  readonly weightBytesPerSecond: number;
  readonly decodeFlops: number;
  readonly prefillFlops: number;
  readonly trainFlops: number;
  /** What a decoding step takes whatever the model's size; likewise a token that is read, and one that is trained. */
  readonly decodeStepSeconds: number;
  readonly readTokenSeconds: number;
  readonly trainTokenSeconds: number;
}

/**
 * Per compute thread, of a server core of an x86 processor: SmolLM2-135M sampled 20 tokens per second alone and 187 at 16 at
 * once on two threads and read 670 prompt tokens per second; 3.4M parameters were trained at 9,100 tokens per second. What does
 * not depend on size is of the quickstart's model: 25,000 tokens sampled and 87,000 trained a second.
 */
function processor(threads: number): Device {
  return {
    name: `${threads} processor ${threads === 1 ? "thread" : "threads"}`,
    weightBytesPerSecond: 5.4e9 * threads,
    decodeFlops: 6e10 * threads,
    prefillFlops: 9e10 * threads,
    trainFlops: 9.3e10 * threads,
    decodeStepSeconds: 2.5e-3,
    readTokenSeconds: 5e-6,
    trainTokenSeconds: 1.4e-5 / threads,
  };
}

/**
 * One H100: 0.5B parameters in bfloat16 were trained at 98,000 tokens per second, 1.5B at 39,000 (in float32 0.5B at 22,700). With a table of
 * slots in bfloat16 a step of sampling took 1.4 ms at 64 rows of 0.5B, 2.05 at 256, and 1.24 at 64 rows of SmolLM2-135M; with pages 0.5B was
 * sampled at 18,800 tokens per second with 64 at once; 3.4M parameters were trained at 610,000 and sampled at 300,000 with 256 at once.
 */
function h100(precision: "auto" | "float32" | "bfloat16"): Device {
  const half = precision === "bfloat16";
  return {
    name: `one H100, ${half ? "bfloat16" : "float32"}`,
    weightBytesPerSecond: half ? 3e12 : 5.5e11,
    decodeFlops: half ? 3e14 : 2e13,
    prefillFlops: half ? 1.7e14 : 7.9e13,
    trainFlops: half ? 3.4e14 : 7.9e13,
    decodeStepSeconds: half ? 1e-3 : 8e-4,
    readTokenSeconds: 1e-6,
    trainTokenSeconds: 1.5e-6,
  };
}

/** Of what as many GPUs would do apart: two H200 trained 0.5B parameters 1.88 times as fast as one, in a prototype. */
const replicaShare = 0.94;

/** What a learner sends the others per second while they sum gradients: assumed, not measured on a quiet machine (bench/runtime/exchange.ts). */
const exchangeBytesPerSecond = 1e8;

/** A forward pass beside a training pass, which is one forward and two of a backward's size. */
const forwardShare = 1 / 3;

/** No reply ends early, so this is the most; nothing is padded, and nobody waits for the slowest, so it is the least. */
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
  const { engine } = rollout;
  const batch = Math.min(
    engine?.maxRequests ?? rollout.maxBatch,
    rollout.concurrency,
    Math.ceil(episodes / rollout.actors),
  );
  const bytes = parameters * (rollout.precision === "bfloat16" ? 2 : 4);
  const decodeStepSeconds =
    rolloutDevice.decodeStepSeconds +
    bytes / rolloutDevice.weightBytesPerSecond +
    (2 * parameters * batch) / rolloutDevice.decodeFlops;
  const readTokenSeconds = rolloutDevice.readTokenSeconds + (2 * parameters) / rolloutDevice.prefillFlops;
  const samplingSeconds =
    ((sampledTokens / batch) * decodeStepSeconds + promptTokens * readTokenSeconds) / rollout.actors;
  // Adapters need no gradients of the weights: a third of a training pass.
  const trainingPass = config.lora === null ? 1 : 1 - forwardShare;
  const passes =
    config.epochs * trainingPass +
    (config.oldLogprobs === "recompute" ? forwardShare : 0) +
    (config.reference === "initial" ? forwardShare : 0);
  const tokens = rowTokens.reduce((sum, length) => sum + length, 0);
  const { replicas } = config;
  const { learnerActors } = recipe;
  const trained = config.lora === null ? parameters : loraParameterCount(model, config.lora);
  // Each sends and receives this much of every optimizer step's gradients.
  const exchangedBytes = (2 * 4 * trained * (learnerActors - 1)) / learnerActors;
  const exchangeSeconds = (config.epochs * config.miniBatches * exchangedBytes) / exchangeBytesPerSecond;
  const updateSeconds =
    (passes *
      rowsRepeated *
      (trainingFlops(model, rowTokens) / learnerDevice.trainFlops +
        tokens * learnerDevice.trainTokenSeconds)) /
      (learnerActors * (replicas === 1 ? 1 : replicaShare * replicas)) +
    exchangeSeconds;
  return {
    samplingSeconds,
    updateSeconds,
    totalSeconds: train.steps * (samplingSeconds + updateSeconds),
    // What an engine computes on is its own; one that runs already may have anything.
    rolloutDevice: engine === undefined ? rolloutDevice.name : `were an engine ${rolloutDevice.name}`,
    learnerDevice: learnersName(learnerDevice.name, replicas, learnerActors),
  };
}

function learnersName(device: string, replicas: number, learnerActors: number): string {
  if (learnerActors > 1) return `${learnerActors} learners on ${device} each`;
  return replicas === 1 ? device : `${replicas} replicas on ${device} each`;
}

function loraParameterCount(model: ModelConfig, lora: LoraConfig): number {
  return Object.values(loraShapes(model, loraForm(lora))).reduce((sum, shape) => sum + sizeOf(shape), 0);
}
