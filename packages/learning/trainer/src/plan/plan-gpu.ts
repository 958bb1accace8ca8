import { estimateDevice, type LearnerConfigInput } from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { Recipe } from "../recipe/recipe-schema.js";
import { type RunMemory, runMemory } from "./run-memory.js";

/*
 * Checks whether the parts of a run that use GPUs fit into their memory. The dry run checks this for the plan, and an
 * actor for the GPU that it got, before it loads anything.
 */

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** The driver uses a part of a GPU, and so does a display if there is one. */
const usableShare = 0.95;

/** Rollout actors that share a GPU. */
export interface GpuSharing {
  /** Number of rollout actors on the learner's GPU; 0 if the learner has its GPU alone. */
  readonly besideLearner: number;
  /** Maximum number of rollout actors on a GPU without the learner. */
  readonly mates: number;
}

export function gpuSharing({ learnerGpus, rollout }: Pick<Recipe, "learnerGpus" | "rollout">): GpuSharing {
  if (rollout.gpus <= 0) return { besideLearner: 0, mates: 0 };
  // Returns how many rollout actors' leases fit into this share of a GPU; 1e-9 absorbs rounding.
  const mostIn = (share: number) => Math.floor(share / rollout.gpus + 1e-9);
  const shared = learnerGpus > 0 && learnerGpus + rollout.gpus <= 1;
  const besideLearner = shared ? Math.min(rollout.actors, mostIn(1 - learnerGpus)) : 0;
  // A fraction is placed on the fullest GPU that has room for it, so actors that are not on the learner's GPU share
  // one.
  return { besideLearner, mates: Math.min(rollout.actors - besideLearner, Math.max(1, mostIn(1))) };
}

/**
 * Returns which parts of a run do not fit on its GPUs, each with a fix; empty if all of them fit, or if the memory of a
 * GPU is not known.
 */
export function gpuProblems(
  needs: RunMemory,
  recipe: Recipe,
  model: ModelConfig,
  gpuBytes: number | undefined,
): string[] {
  if (gpuBytes === undefined) return [];
  const { learnerGpus, rollout, plan } = recipe;
  const usableBytes = usableShare * gpuBytes;
  const there = plan?.gpuGib === undefined ? `a GPU has ${gib(gpuBytes)}` : `plan.gpuGib is ${plan.gpuGib}`;
  const learnerFix = learnerFixes(recipe, model, gpuBytes).join(", or ");
  const rolloutFix = "a smaller rollout.maxBatch or rollout.cacheTokens, or precision bfloat16";
  const { learnerDeviceBytes, rolloutDeviceBytes } = needs;
  const problems: string[] = [];
  if (learnerGpus > 0 && learnerDeviceBytes > usableBytes)
    problems.push(
      `${there}, but the learner needs about ${gib(learnerDeviceBytes)} on its GPU; ${learnerFix}`,
    );
  if (rollout.gpus > 0 && rolloutDeviceBytes > usableBytes)
    problems.push(
      `${there}, but a rollout actor needs about ${gib(rolloutDeviceBytes)} on its GPU; use ${rolloutFix}`,
    );
  const { besideLearner: actors, mates } = gpuSharing(recipe);
  const together = learnerDeviceBytes + actors * rolloutDeviceBytes;
  if (problems.length === 0 && actors > 0 && together > usableBytes)
    problems.push(
      `${there}, but the learner (about ${gib(learnerDeviceBytes)}) and ${actors} rollout actor${actors === 1 ? "" : "s"} (${gib(rolloutDeviceBytes)} each) share it, because learnerGpus is ${learnerGpus} and rollout.gpus ${rollout.gpus}; use ${rolloutFix}, or lease whole GPUs; for the learner ${learnerFix}`,
    );
  if (mates > 1 && rolloutDeviceBytes <= usableBytes && mates * rolloutDeviceBytes > usableBytes)
    problems.push(
      `${there}, but ${mates} rollout actors (${gib(rolloutDeviceBytes)} each) share one, because rollout.gpus is ${rollout.gpus}; use ${rolloutFix}, or a larger rollout.gpus`,
    );
  return problems;
}

/** Numbers of GPUs of one node that are tried for a learner that is shared out. */
const sharedCounts = [2, 4, 8, 16];

/** Returns what lets the learner fit, by its own plan: on as many GPUs first. Adapters are always named, unless it trains them already. */
function learnerFixes({ learner }: Recipe, model: ModelConfig, gpuBytes: number): string[] {
  const { replicas = 1, memory, lora } = learner;
  const fits = (changed: Partial<LearnerConfigInput>): boolean =>
    estimateDevice(model, { ...learner, ...changed }, gpuBytes).totalBytes <= usableShare * gpuBytes;
  const least = { ...memory, keep: "nothing" as const };
  const shared = { ...least, optimizerState: "sharded" as const, accumulators: "auto" as const };
  const short = { buckets: [{ rows: 1, length: 128 }], microBatch: undefined };
  const adapters = lora === undefined || lora === null ? ["set learner.lora"] : [];
  if (fits({ memory: least })) return ["set learner.memory.keep to nothing", ...adapters];
  const own: string[] = [];
  const isShared = memory?.optimizerState === "sharded";
  if (replicas > 1 && !isShared && fits({ memory: shared }))
    own.push("set learner.memory to { keep: nothing, optimizerState: sharded }");
  if (fits({ memory: replicas > 1 ? shared : least, ...short })) own.push("use smaller buckets");
  const more = sharedCounts.find((count) => count > replicas && fits({ replicas: count, memory: shared }));
  const here = replicas === 1 ? "this GPU" : `${replicas} GPUs like this`;
  const all =
    more === undefined
      ? "use a larger GPU"
      : `set learner.replicas and learnerGpus to ${more}, with learner.memory { keep: nothing, optimizerState: sharded }`;
  if (own.length > 0) return [...own, all, ...adapters];
  const only = adapters.length > 0 ? "no setting but learner.lora" : "no setting";
  return [`${only} fits it on ${here}: ${[all, ...adapters].join(", or ")}`];
}

/** Returns the memory of one GPU that the plan assumes: the recipe's number takes precedence over the machine's. */
export function plannedGpuBytes(recipe: Recipe, gpuBytes: number | undefined): number | undefined {
  return recipe.plan?.gpuGib === undefined ? gpuBytes : recipe.plan.gpuGib * 2 ** 30;
}

/**
 * Refuses a run whose learner, sampler or both together are too large for the GPU of this actor.
 * @param gpuBytes undefined if the actor is not on a GPU, or if the GPU's memory is not known
 * @throws {PalimpsestError} CONFIG_INVALID, with sizes and the settings to lower
 */
export function checkFitsGpu(recipe: Recipe, model: ModelConfig, gpuBytes: number | undefined): void {
  const planned = plannedGpuBytes(recipe, gpuBytes);
  if (gpuBytes === undefined || planned === undefined) return;
  const problems = gpuProblems(runMemory(recipe, model, planned), recipe, model, planned);
  if (problems.length === 0) return;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${problems.join("; ")}. If you know that it fits, set a larger plan.gpuGib`,
  );
}
