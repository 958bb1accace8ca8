import { sizeOf } from "@palimpsest/jit";
import { type ResolvedLearnerConfig, trainingFlops } from "@palimpsest/learner";
import { type LoraConfig, loraForm, loraShapes, type ModelConfig, parameterCount } from "@palimpsest/model";
import type { Recipe } from "../recipe/recipe-schema.js";

/** What a step computes, estimated from the episodes that were measured. */
export interface StepWork {
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** Tokens that are computed for each training row, a shared beginning in parts; a step has these rows `rowsRepeated` times. */
  readonly rowTokens: readonly number[];
  readonly rowsRepeated: number;
}

/** Estimated seconds, without evaluations: of the sampling and the update of one step, and of the whole run. */
export interface RunTime {
  readonly samplingSeconds: number;
  readonly updateSeconds: number;
  readonly totalSeconds: number;
  /** The devices that the estimate assumes for the rollout actors and the learner. */
  readonly rolloutDevice: string;
  readonly learnerDevice: string;
}

/**
 * Measured speeds (bench/results), as rates that scale with a model's size. Reading weights limits small batches, and
 * arithmetic limits large ones; a decoding step is charged for both.
 */
interface Device {
  readonly name: string;
  /** Rate at which decoding reads weights, bytes per second. */
  readonly weightBytesPerSecond: number;
  readonly decodeFlops: number;
  readonly prefillFlops: number;
  readonly trainFlops: number;
  /**
   * Time that a decoding step takes regardless of the model's size. The next two are the same for a prompt token that
   * is read and for a token that is trained.
   */
  readonly decodeStepSeconds: number;
  readonly readTokenSeconds: number;
  readonly trainTokenSeconds: number;
}

/**
 * Returns the rates of this many compute threads, each on a server core of an x86 processor. On two threads,
 * SmolLM2-135M sampled 20 tokens per second alone and 187 with 16 sequences at once, and read 670 prompt tokens per
 * second; a model of 3.4M parameters was trained at 9,100 tokens per second. The costs that do not depend on size come
 * from the quickstart's model: 25,000 tokens were sampled and 87,000 trained per second.
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
 * Returns the rates of one H100. In bfloat16 it trained 0.5B parameters at 98,000 tokens per second and 1.5B at 39,000
 * (in float32 0.5B at 22,700). With a table of slots in bfloat16, a decoding step took 1.4 ms at 64 rows of 0.5B, 2.05
 * ms at 256, and 1.24 ms at 64 rows of SmolLM2-135M. With pages, 0.5B was sampled at 18,800 tokens per second with 64
 * sequences at once. 3.4M parameters were trained at 610,000 tokens per second and sampled at 300,000 with 256
 * sequences at once.
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

/**
 * Efficiency of replicas compared with as many separate GPUs: in a prototype, two H200 trained 0.5B parameters 1.88
 * times as fast as one.
 */
const replicaShare = 0.94;

/**
 * Bytes that a learner sends to the others per second while they sum gradients. This is an assumption; it was not
 * measured on a quiet machine (bench/runtime/exchange.ts).
 */
const exchangeBytesPerSecond = 1e8;

/** Share of a forward pass in a training pass, which is one forward pass and a backward pass of twice its size. */
const forwardShare = 1 / 3;

/**
 * Estimates the time of a run. The estimate is an upper bound in that no reply ends early, and a lower bound in that
 * nothing is padded and nothing waits for the slowest.
 */
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
  // Adapters need no gradients of the weights, which are a third of a training pass.
  const trainingPass = config.lora === null ? 1 : 1 - forwardShare;
  const passes =
    config.epochs * trainingPass +
    (config.oldLogprobs === "recompute" ? forwardShare : 0) +
    (config.reference === "initial" ? forwardShare : 0);
  const tokens = rowTokens.reduce((sum, length) => sum + length, 0);
  const { replicas } = config;
  const { learnerActors } = recipe;
  const trained = config.lora === null ? parameters : loraParameterCount(model, config.lora);
  // Each learner sends and receives this much for the gradients of every optimizer step.
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
    // An engine chooses its own device, and the device of one that is already running is not known.
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
