import { sizeOf } from "@palimpsest/jit";
import {
  type Bucket,
  gradientBytes,
  type PlannedPass,
  placesOf,
  type ResolvedLearnerConfig,
  trainedTokensOf,
  trainingFlops,
} from "@palimpsest/learner";
import { type LoraConfig, loraForm, loraShapes, type ModelConfig, parameterCount } from "@palimpsest/model";
import { exchangeThreads } from "../parts/learner-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import {
  assumedNetworkGbits,
  checkpointBytesPerSecond,
  conversationSeconds,
  exchangeThreadBytesPerSecond,
  gradientBytesPerSecond,
  h100,
  loadBytesPerSecond,
  processor,
  publishBytesPerSecond,
  replicaShare,
  stepSeconds,
} from "./measured-speeds.js";
import { gpuSharing } from "./plan-gpu.js";
import { publishedBytes } from "./run-memory.js";

/** Length of a conversation, tokens. */
interface Turn {
  readonly promptTokens: number;
  readonly sampledTokens: number;
}

/** What a step computes. */
export interface StepWork {
  /** Number of episodes that are sampled, those of groups that are replaced among them. */
  readonly episodes: number;
  /** The conversations of a mean episode, one after another; numbers of conversations of a mean need not be whole. */
  readonly turns: readonly (Turn & { readonly count: number })[];
  /** Those of the longest episode. */
  readonly longest: readonly Turn[];
  /** Micro-batches of one optimizer step, before they are distributed over replicas and learners. */
  readonly passes: readonly PlannedPass[];
  readonly optimizerSteps: number;
  /** Episodes of one evaluation, and their tokens as a multiple of a mean episode's. */
  readonly evaluated: { readonly episodes: number; readonly factor: number };
}

/** Estimated seconds of a step, by part. */
export interface StepSeconds {
  readonly sampling: number;
  /** Loading new weights into the samplers. */
  readonly loading: number;
  readonly update: number;
  /** The part of the update in which learners of several hosts sum gradients. */
  readonly exchange: number;
  /** Publishing the new weights. */
  readonly publishing: number;
  /** The step's share of the checkpoints. */
  readonly checkpoint: number;
  /** The step's share of the evaluations, those before and after training among them. */
  readonly evaluation: number;
  /** The whole step. With asynchronous steps on GPUs of their own samplers and learner work at the same time. */
  readonly total: number;
}

/** The devices that an estimate assumes for the rollout actors and the learner. */
export interface PlannedDevices {
  readonly rollout: string;
  readonly learner: string;
}

export function plannedDevices(recipe: Recipe): PlannedDevices {
  const { rollout, learner, learnerActors } = recipe;
  const sampler = rollout.gpus > 0 ? h100(rollout.precision) : processor(rollout.threads);
  const { name } =
    recipe.learnerGpus > 0 ? h100(learner.precision ?? "auto") : processor(recipe.learnerThreads);
  const { replicas = 1 } = learner;
  const of = replicas === 1 ? "" : ` of ${replicas} replicas`;
  const learners = learnerActors > 1 ? `${learnerActors} learners${of}` : `${replicas} replicas`;
  const { threads, networkGbits, bytesPerSecond } = exchangeRate(recipe);
  const passes = `${networkGbits} Gbit/s${recipe.plan?.networkGbits === undefined ? ", as is assumed," : ""} each way`;
  const network = `, whose network passes ${passes}: ${threads} threads exchange ${+(bytesPerSecond / 1e9).toFixed(1)} GB/s`;
  return {
    // An engine chooses its own device, and the device of one that is already running is not known.
    rollout: rollout.engine === undefined ? sampler.name : `were an engine ${sampler.name}`,
    learner:
      learnerActors * replicas > 1 ? `${learners} on ${name} each${learnerActors > 1 ? network : ""}` : name,
  };
}

/** Estimates the seconds of a step with this work, from the speeds in measured-speeds.ts. */
export function stepTime(
  recipe: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  work: StepWork,
): StepSeconds {
  const { train, evaluation } = recipe;
  const sampling = samplingSeconds(recipe, model, work);
  const exchange = work.optimizerSteps * exchangeSeconds(recipe, model, config);
  const update = updateSeconds(recipe, model, config, work) + exchange;
  const bytes = publishedBytes(recipe, model);
  const publishing = bytes / publishBytesPerSecond;
  const loading = bytes / loadBytesPerSecond;
  // A run with a log begins with a checkpoint, and the last step leaves one.
  const { steps, checkpointEverySteps: every } = train;
  const checkpoints = every === 1 ? steps : Math.ceil(steps / every) + 1;
  // Before a checkpoint learners of several hosts compare their weights.
  const compared = recipe.learnerActors > 1 ? bytes / publishBytesPerSecond : 0;
  const written = (12 * trainedCount(model, config)) / checkpointBytesPerSecond;
  const checkpoint = (checkpoints * (written + compared)) / steps;
  const between = evaluation?.everySteps;
  const evaluations =
    evaluation === undefined ? 0 : 1 + (between === undefined ? 1 : Math.ceil(steps / between));
  const { episodes, factor } = work.evaluated;
  const asked = work.turns.map((turn) => ({ ...turn, count: turn.count * factor }));
  const evaluating =
    (evaluations * samplingSeconds(recipe, model, { episodes, turns: asked, longest: work.longest })) / steps;
  const parts = { sampling, loading, update, exchange, publishing, checkpoint, evaluation: evaluating };
  return { ...parts, total: totalOf(recipe, parts) };
}

function totalOf(recipe: Recipe, parts: Omit<StepSeconds, "total">): number {
  const { train, rollout, learnerGpus } = recipe;
  const { sampling, loading, update, publishing, checkpoint, evaluation } = parts;
  const apart = rollout.gpus > 0 && learnerGpus > 0 && gpuSharing(recipe).besideLearner === 0;
  const busy =
    train.maxStaleness > 0 && apart
      ? Math.max(sampling + loading, update + publishing + checkpoint)
      : sampling + loading + update + publishing + checkpoint;
  return busy + evaluation + stepSeconds;
}

/** Returns the longer time of each part, since longer replies may fill the learner's shapes better than those of all lengths. */
export function longerTime(recipe: Recipe, one: StepSeconds, other: StepSeconds): StepSeconds {
  const longer = (name: keyof StepSeconds) => Math.max(one[name], other[name]);
  const parts = {
    sampling: longer("sampling"),
    loading: longer("loading"),
    update: longer("update"),
    exchange: longer("exchange"),
    publishing: longer("publishing"),
    checkpoint: longer("checkpoint"),
    evaluation: longer("evaluation"),
  };
  return { ...parts, total: totalOf(recipe, parts) };
}

/**
 * Seconds in which rollout actors sample episodes. By Graham's bound no list of episodes takes longer than a full batch needs for all of
 * them plus the longest alone; if all of an actor's are in one batch, the longest is written while the others are read and written.
 */
function samplingSeconds(
  { rollout }: Recipe,
  model: ModelConfig,
  { episodes, turns, longest }: Pick<StepWork, "episodes" | "turns" | "longest">,
): number {
  if (episodes === 0) return 0;
  const device = rollout.gpus > 0 ? h100(rollout.precision) : processor(rollout.threads);
  const { engine, actors, maxBatch, concurrency, batchInvariant } = rollout;
  const own = Math.ceil(episodes / actors);
  const batch = Math.min(engine?.maxRequests ?? maxBatch, concurrency, own);
  const isTable = rollout.gpus > 0 && !batchInvariant;
  const perCall = rollout.stepsPerCall ?? (isTable ? 32 : 8);
  const parameters = parameterCount(model);
  const valueBytes = rollout.precision === "bfloat16" ? 2 : 4;
  const { layers, kvHeads, heads, headDim } = model;
  const cacheBytes = 2 * layers * kvHeads * headDim * (isTable ? valueBytes : 4);
  const readSeconds = (prompt: number) =>
    prompt *
    (device.readTokenSeconds +
      (2 * parameters + 2 * layers * heads * headDim * prompt) / device.prefillFlops);
  const stepSecondsAt = (context: number) =>
    device.decodeStepSeconds +
    (valueBytes * parameters) / device.weightBytesPerSecond +
    (2 * parameters * batch) / device.decodeFlops +
    (batch * context * cacheBytes) / device.cacheBytesPerSecond;
  // A call samples several tokens, so that a reply ends within one.
  const writeSeconds = ({ promptTokens, sampledTokens }: Turn) =>
    (sampledTokens + perCall / 2) * stepSecondsAt(promptTokens + sampledTokens / 2);
  const sumOf = (list: readonly (Turn & { readonly count?: number })[], secondsOf: (turn: Turn) => number) =>
    list.reduce((sum, turn) => sum + (turn.count ?? 1) * secondsOf(turn), 0);
  const reading = sumOf(turns, ({ promptTokens }) => readSeconds(promptTokens) + conversationSeconds);
  const writing = sumOf(turns, writeSeconds) / batch;
  const longestWriting = sumOf(longest, writeSeconds);
  const alone = longestWriting + sumOf(longest, ({ promptTokens }) => readSeconds(promptTokens));
  return own > batch
    ? own * (reading + writing) + (1 - 1 / batch) * alone
    : Math.max(alone, own * reading + Math.max(own * writing, longestWriting));
}

/** How fast a learner of several hosts sends gradients while it receives as many. */
function exchangeRate({ learnerThreads, plan }: Recipe) {
  const threads = exchangeThreads(learnerThreads);
  const networkGbits = plan?.networkGbits ?? assumedNetworkGbits;
  const bytesPerSecond = Math.min(threads * exchangeThreadBytesPerSecond, (networkGbits * 1e9) / 8);
  return { threads, networkGbits, bytesPerSecond };
}

/**
 * Seconds in which learners of several hosts sum the gradients of one optimizer step: those of the network, or, if they are more, those in
 * which another thread reads them from the GPUs, one after the other, and writes the sums back, to every replica that has all of them.
 */
function exchangeSeconds(recipe: Recipe, model: ModelConfig, config: ResolvedLearnerConfig): number {
  const { learnerActors, learnerGpus } = recipe;
  if (learnerActors === 1) return 0;
  const sentBytes = (2 * (learnerActors - 1) * gradientBytes(model, config)) / learnerActors;
  const writes = config.memory.optimizerState === "sharded" ? 1 : config.replicas;
  const copiedBytes = learnerGpus > 0 ? (1 + writes) * gradientBytes(model, config) : 0;
  return Math.max(sentBytes / exchangeRate(recipe).bytesPerSecond, copiedBytes / gradientBytesPerSecond);
}

/** Seconds of an update: micro-batches with their padding, passes without gradients, and the optimizer. */
function updateSeconds(
  { learnerActors, learnerGpus, learnerThreads, learner }: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  { passes, optimizerSteps }: Pick<StepWork, "passes" | "optimizerSteps">,
): number {
  const device = learnerGpus > 0 ? h100(learner.precision ?? "auto") : processor(learnerThreads);
  const { replicas, epochs, miniBatches } = config;
  const trained = trainedCount(model, config);
  // Adapters need no gradients of the weights, which are a third of a training pass.
  const trainingPass = config.lora === null ? 1 : 2 / 3;
  // The reference is computed with every micro-batch, old log-probs for all optimizer steps but the first.
  const scored =
    (config.reference === "initial" ? 1 : 0) +
    (config.oldLogprobs === "recompute" ? (1 - 1 / miniBatches) / epochs : 0);
  const isRagged = learnerGpus > 0 && learner.precision === "bfloat16";
  const ofOne = passes.reduce((sum, { bucket, microBatches, rowTokens }) => {
    const rounds = Math.ceil(microBatches / (replicas * learnerActors));
    // Only the GPU's kernel leaves out the other rows of a packed sequence.
    const seen = isRagged && bucket.packedRows !== undefined ? rowTokens : bucket.length;
    const flops = bucketFlops(model, bucket, seen);
    const fixed = model.layers * device.trainLayerSeconds + placesOf(bucket) * device.trainTokenSeconds;
    const train = fixed + (trainingPass * flops) / device.trainFlops;
    const score = fixed / 3 + flops / 3 / device.scoreFlops;
    return sum + rounds * (train + scored * score);
  }, 0);
  const applyBytes = 28 * trained;
  return (
    (optimizerSteps * (ofOne + applyBytes / device.weightBytesPerSecond)) /
    (replicas === 1 ? 1 : replicaShare)
  );
}

/** Operations of a training pass over all positions of a micro-batch, each of which attends to a row of `seen` tokens; the head is
 * computed at trained positions alone. */
function bucketFlops(model: ModelConfig, bucket: Bucket, seen: number): number {
  const places = placesOf(bucket);
  const idle = places - Math.min(places, trainedTokensOf(bucket));
  return (places / seen) * trainingFlops(model, [seen]) - 6 * idle * model.vocabSize * model.hiddenSize;
}

function trainedCount(model: ModelConfig, { lora }: Pick<ResolvedLearnerConfig, "lora">): number {
  return lora === null ? parameterCount(model) : loraParameterCount(model, lora);
}

function loraParameterCount(model: ModelConfig, lora: LoraConfig): number {
  return Object.values(loraShapes(model, loraForm(lora))).reduce((sum, shape) => sum + sizeOf(shape), 0);
}
