import { sizeOf } from "@palimpsest/jit";
import {
  type DeviceEstimate,
  estimateDevice,
  estimateMemory,
  type MemoryEstimate,
} from "@palimpsest/learner";
import { loraForm, loraShapes, type ModelConfig, parameterShapes } from "@palimpsest/model";
import type { Recipe } from "./recipe/recipe-schema.js";

/** What the processes of a run take at their highest, bytes; machines share it among them. What lies on a GPU is apart. */
export interface RunMemory {
  readonly learner: MemoryEstimate;
  /** That train together. */
  readonly learnerActors: number;
  /** Each; with what it exchanges with the others. */
  readonly learnerBytes: number;
  /** What of it lies where it computes: all but the process and what it was loaded from. */
  readonly learnerDeviceBytes: number;
  /** The same by part, where it leases per GPU and computes in bfloat16. */
  readonly learnerDevice?: DeviceEstimate;
  readonly rolloutActors: number;
  /** Each; while it takes new weights over. */
  readonly rolloutBytes: number;
  /** What of it lies where it computes: weights, keys and values. */
  readonly rolloutDeviceBytes: number;
  /** Each engine that the run starts, for its weights alone: what it keeps beside them is bounded by its own flags. */
  readonly engineBytes: number;
  /** All weights of the model, float32. */
  readonly weightsBytes: number;
  /** The driver while it stores the base, head, Redis, nodes and reward actors. */
  readonly otherBytes: number;
  /** Base weights and the versions that are kept, on one node. */
  readonly storeBytes: number;
  /** Everything on one machine. */
  readonly totalBytes: number;
}

const floatBytes = 4;
/** Of a Node process of the trainer that has no tensors. */
const plainProcessBytes = 150 * 2 ** 20;
/** Head, Redis, node. */
const clusterProcesses = 3;
/** Of weights in host memory while they are written to a GPU: as they were loaded, and as they are fed. */
const writtenCopies = 2;
/** Of gradients that learners exchange at once, and of chunks under way: their own, the others', and these in messages. */
const exchangeBlockBytes = 16 * 2 ** 20;
const exchangeChunksBytes = 4 * 8 * 2 ** 20;
/** The initial weights aside; see held-weights.ts. */
const keptVersions = 2;

/** @param gpuBytes memory of the learner's GPU, where it is known */
export function runMemory(recipe: Recipe, model: ModelConfig, gpuBytes?: number): RunMemory {
  const { rollout, reward } = recipe;
  const isOnGpu = recipe.learnerGpus > 0 && recipe.learner.precision === "bfloat16";
  const learnerDevice = isOnGpu ? estimateDevice(model, recipe.learner, gpuBytes) : undefined;
  const { maxBatch, maxTokens, cacheTokens } = rollout;
  const learner = estimateMemory(model, recipe.learner, { maxBatch, maxLength: maxTokens, cacheTokens });
  const { processBytes, hostBytes } = learner;
  const half = rollout.precision === "bfloat16" ? 0.5 : 1;
  // The actor of an engine only hands weights through.
  const own = rollout.engine === undefined ? 1 : 0;
  const samplerWeightsBytes = own * learner.samplerWeightsBytes * half;
  // Keys and values are float32 in pages, and of the products' type in the table of slots that a GPU has.
  const isTable = rollout.gpus > 0 && !rollout.batchInvariant;
  const samplerCacheBytes = own * learner.samplerCacheBytes * (isTable ? half : 1);
  const rolloutDeviceBytes = samplerWeightsBytes + samplerCacheBytes;
  const onCpuBytes = learner.totalBytes - learner.samplerWeightsBytes - learner.samplerCacheBytes;
  const learnerDeviceBytes = learnerDevice?.totalBytes ?? onCpuBytes - processBytes - hostBytes;
  const lora = recipe.learner.lora ?? null;
  const weightsBytes = bytesOf(parameterShapes(model));
  const trained = lora === null ? parameterShapes(model) : loraShapes(model, loraForm(lora));
  const exchangeBytes = recipe.learnerActors === 1 ? 0 : exchangeHostBytes(trained);
  const learnerBytes =
    exchangeBytes + (learnerDevice === undefined ? onCpuBytes : processBytes + writtenCopies * hostBytes);
  const versionBytes = bytesOf(trained);
  // Old and new weights stand in host memory while the sampler takes the new ones over, and Node is slow to give them back;
  // of a policy with adapters whole weights come once, as its base. An engine has them merged for it, beside their base.
  const swapBytes = (lora === null || own === 1 ? 2 : 4) * weightsBytes;
  const rolloutBytes = processBytes + (rollout.gpus > 0 ? 0 : rolloutDeviceBytes) + swapBytes;
  // One that runs elsewhere, or on a GPU, is not in this machine's memory.
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
    otherBytes,
    storeBytes,
    totalBytes:
      recipe.learnerActors * learnerBytes +
      rollout.actors * (rolloutBytes + engineBytes) +
      otherBytes +
      storeBytes,
  };
}

/** Host memory of a block of gradients as it was read and as it is written back, and of the chunks of it that travel. */
function exchangeHostBytes(trained: Readonly<Record<string, readonly number[]>>): number {
  const largest = Object.values(trained).map((shape) => floatBytes * sizeOf(shape));
  return 2 * Math.max(exchangeBlockBytes, ...largest) + exchangeChunksBytes;
}

function bytesOf(shapes: Readonly<Record<string, readonly number[]>>): number {
  return Object.values(shapes).reduce((sum, shape) => sum + floatBytes * sizeOf(shape), 0);
}
