import { sizeOf } from "@palimpsest/jit";
import {
  type DeviceEstimate,
  estimateDevice,
  estimateMemory,
  exchangeHostBytes,
  type MemoryEstimate,
  resolveLearnerConfig,
} from "@palimpsest/learner";
import { isPublishedHalf, loraForm, loraShapes, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { publishedType } from "../parts/learner-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";

/**
 * Peak memory of the processes of a run, bytes. Processes on one machine share its memory; memory on GPUs is separate.
 */
export interface RunMemory {
  readonly learner: MemoryEstimate;
  /** Number of learners that train together. */
  readonly learnerActors: number;
  /** Memory of each learner, including buffers for the exchange with the others. */
  readonly learnerBytes: number;
  /**
   * The part of it that is on the computing device: everything except the process and the weights as they were loaded.
   */
  readonly learnerDeviceBytes: number;
  /** The same by part, if the learner leases GPUs and computes in bfloat16. */
  readonly learnerDevice?: DeviceEstimate;
  readonly rolloutActors: number;
  /** Memory of each rollout actor while it takes over new weights. */
  readonly rolloutBytes: number;
  /** The part of it that is on the computing device: weights, keys and values. */
  readonly rolloutDeviceBytes: number;
  /**
   * Memory of each engine that the run starts, for its weights alone: everything else is bounded by the engine's own
   * flags.
   */
  readonly engineBytes: number;
  /** Size of all weights of the model in float32. */
  readonly weightsBytes: number;
  /** Size of what is written for an engine at each version. */
  readonly engineVersionBytes: number;
  /** Memory of the driver while it stores the base, and of the head, Redis, nodes and reward actors. */
  readonly otherBytes: number;
  /** Size of the base weights and the kept versions in the object store of one node. */
  readonly storeBytes: number;
  /** The sum of all machines, of which the plan has one unless it says otherwise. */
  readonly totalBytes: number;
}

const floatBytes = 4;
/** Memory of a Node process of the trainer that has no tensors. */
const plainProcessBytes = 150 * 2 ** 20;
/** Number of processes of the cluster: head, Redis and one node. */
const clusterProcesses = 3;
/**
 * Number of copies of the weights in host memory while they are written to a GPU: as they were loaded, and as they are
 * fed.
 */
const writtenCopies = 2;
/** Size of the slices in flight from each other learner. */
const exchangeSlicesBytes = 2 * 4 * 2 * 2 ** 20;
/** Number of versions that are kept besides the initial weights; see held-weights.ts. */
const keptVersions = 2;

/** @param gpuBytes memory of the learner's GPU, if it is known */
export function runMemory(recipe: Recipe, model: ModelConfig, gpuBytes?: number): RunMemory {
  const { rollout, reward } = recipe;
  const isOnGpu = recipe.learnerGpus > 0 && recipe.learner.precision === "bfloat16";
  const learnerDevice = isOnGpu ? estimateDevice(model, recipe.learner, gpuBytes) : undefined;
  const { maxBatch, maxTokens, cacheTokens } = rollout;
  const learner = estimateMemory(model, recipe.learner, { maxBatch, maxLength: maxTokens, cacheTokens });
  const { processBytes, hostBytes } = learner;
  const half = rollout.precision === "bfloat16" ? 0.5 : 1;
  // The actor of an engine only passes weights on.
  const own = rollout.engine === undefined ? 1 : 0;
  const samplerWeightsBytes = own * learner.samplerWeightsBytes * half;
  // Keys and values have the type of the products. Those of pages are counted as float32, the most that they can take.
  const isTable = rollout.gpus > 0 && !rollout.batchInvariant;
  const samplerCacheBytes = own * learner.samplerCacheBytes * (isTable ? half : 1);
  const isStaged = isTable && rollout.weightUpdates === "staged" && publishedType(recipe) === "bfloat16";
  const rolloutDeviceBytes = (isStaged ? 2 : 1) * samplerWeightsBytes + samplerCacheBytes;
  const onCpuBytes = learner.totalBytes - learner.samplerWeightsBytes - learner.samplerCacheBytes;
  const learnerDeviceBytes = learnerDevice?.totalBytes ?? onCpuBytes - processBytes - hostBytes;
  const lora = recipe.learner.lora ?? null;
  const weightsBytes = bytesOf(parameterShapes(model));
  const others = recipe.learnerActors - 1;
  const exchangeBytes =
    others === 0
      ? 0
      : exchangeHostBytes(model, resolveLearnerConfig(recipe.learner)) + others * exchangeSlicesBytes;
  const learnerBytes =
    exchangeBytes + (learnerDevice === undefined ? onCpuBytes : processBytes + writtenCopies * hostBytes);
  const versionBytes = publishedBytes(recipe, model);
  // Old and new weights are both in host memory while the sampler takes over the new ones, and Node is slow to release
  // them. With adapters, whole weights are loaded only once, as the base. An engine needs the adapters merged, so its
  // actor has merged weights besides their base.
  const swapBytes = (lora === null || own === 1 ? 2 : 4) * weightsBytes;
  // Two versions for each engine are in shared memory, unless the recipe has a folder for them.
  const engineVersionBytes = rollout.engine?.weightsType === "float32" ? weightsBytes : weightsBytes / 2;
  const sharedBytes =
    rollout.engine === undefined || rollout.engine.weightsDir !== undefined ? 0 : 2 * engineVersionBytes;
  const rolloutBytes = processBytes + (rollout.gpus > 0 ? 0 : rolloutDeviceBytes) + swapBytes + sharedBytes;
  // An engine that runs elsewhere, or on a GPU, takes no memory of this machine.
  const engineBytes = rollout.engine?.start === undefined || rollout.gpus > 0 ? 0 : weightsBytes;
  const storeBytes = weightsBytes + keptVersions * versionBytes;
  // The driver has the base in memory once, and the trained weights at the end.
  const otherBytes = plainProcessBytes * (clusterProcesses + reward.actors + 1) + 2 * weightsBytes;
  return {
    learner,
    learnerActors: recipe.learnerActors,
    learnerBytes,
    learnerDeviceBytes,
    ...(learnerDevice === undefined ? {} : { learnerDevice }),
    rolloutActors: rollout.actors,
    rolloutBytes,
    rolloutDeviceBytes,
    engineBytes,
    weightsBytes,
    engineVersionBytes,
    otherBytes,
    storeBytes,
    totalBytes:
      recipe.learnerActors * learnerBytes +
      rollout.actors * (rolloutBytes + engineBytes) +
      otherBytes +
      (recipe.plan?.nodes ?? 1) * storeBytes,
  };
}

/** Returns the size of what is published after every update: all weights, or the adapters. */
export function publishedBytes(recipe: Recipe, model: ModelConfig): number {
  const lora = recipe.learner.lora ?? null;
  const isHalf = publishedType(recipe) === "bfloat16";
  const shapes = lora === null ? parameterShapes(model) : loraShapes(model, loraForm(lora));
  return Object.entries(shapes).reduce(
    (sum, [name, shape]) => sum + (isHalf && isPublishedHalf(name, shape) ? 2 : 4) * sizeOf(shape),
    0,
  );
}

function bytesOf(shapes: Readonly<Record<string, readonly number[]>>): number {
  return Object.values(shapes).reduce((sum, shape) => sum + floatBytes * sizeOf(shape), 0);
}
