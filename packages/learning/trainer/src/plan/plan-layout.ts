/** Responsibility: how a run's learners and rollout actors are spread over the GPUs of `plan`: whether they have room, and which split of
 *  them takes the least time.
 *  Not responsible for: memory and seconds of a split (plan-gpu.ts, plan-time.ts); placing actors (the cluster). */
import { resolveLearnerConfig } from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { parseConfig } from "../recipe/config-error.js";
import { recipeProblems } from "../recipe/recipe-checks.js";
import { type Recipe, recipeSchema } from "../recipe/recipe-schema.js";
import { gpuProblems } from "./plan-gpu.js";
import { plannedTime, type plannedWork, type RunTime } from "./plan-step.js";
import { runMemory } from "./run-memory.js";

/** A split of GPUs between learners and rollout actors. */
export interface Layout {
  /** Learners that train together, each with as many GPUs of a node of its own as it has replicas. */
  readonly learnerActors: number;
  readonly replicas: number;
  /** Whether a learner's replicas share its state. */
  readonly sharded: boolean;
  /** Number of rollout actors. With one GPU in all, the learner and the only one share it. */
  readonly actors: number;
  readonly maxBatch: number;
}

export interface PlannedLayout {
  readonly layout: Layout;
  readonly time: RunTime;
}

/** Most replicas of a learner and most rollout actors; as in the recipe's schema. */
const mostReplicas = 16;
/** Most learners that are tried: more of them wait longer for each other than they compute. */
const mostLearners = 8;
const mostActors = 1024;

/** The GPUs that a recipe's `plan` has; undefined where it does not say. */
function plannedGpus({ plan }: Pick<Recipe, "plan">) {
  const { nodes = 1, gpusPerNode } = plan ?? {};
  return gpusPerNode === undefined ? undefined : { nodes, gpusPerNode, total: nodes * gpusPerNode };
}

/** Returns the recipe with another split of its GPUs. With an engine only the learner's part changes. */
export function withLayout(recipe: Recipe, layout: Layout): Recipe {
  const { learner, rollout } = recipe;
  const { learnerActors, replicas, sharded, actors, maxBatch } = layout;
  const { optimizerState: _, accumulators, ...memory } = learner.memory;
  const shared = plannedGpus(recipe)?.total === 1;
  const samplers =
    rollout.engine === undefined
      ? { ...rollout, actors, maxBatch, gpus: shared ? 0.5 : 1, lanes: 1 }
      : rollout;
  const left = 1 - samplers.actors * samplers.gpus;
  return {
    ...recipe,
    learnerActors,
    learnerGpus: shared && left > 0 ? left : replicas,
    rollout: samplers,
    learner: {
      ...learner,
      replicas,
      memory: {
        ...memory,
        accumulators: sharded ? "auto" : accumulators,
        optimizerState: sharded ? "sharded" : "whole",
      },
    },
  };
}

/** Returns the split that a recipe itself has. */
export function layoutOf({ learner, learnerActors, rollout }: Recipe): Layout {
  const { replicas, memory } = learner;
  const { actors, maxBatch } = rollout;
  return { learnerActors, replicas, sharded: memory.optimizerState === "sharded", actors, maxBatch };
}

function layoutsOf(recipe: Recipe): Layout[] {
  const gpus = plannedGpus(recipe);
  if (gpus === undefined) return [];
  const { nodes, total, gpusPerNode } = gpus;
  const { rollout, train, learner } = recipe;
  const { maxBatch, engine } = rollout;
  const parts = engine === undefined ? [1, 2, 4, 8] : [1];
  const batches = parts.map((part) => Math.floor(maxBatch / part)).filter((batch) => batch > 0);
  // An actor without an episode would wait.
  const most = Math.min(mostActors, train.groupsPerStep * learner.groupSize);
  const actorsBeside = (learners: number) =>
    engine === undefined ? Math.min(most, Math.max(1, total - learners)) : rollout.actors;
  const free = Math.max(1, total - (engine === undefined ? 1 : Math.ceil(rollout.actors * rollout.gpus)));
  const isAdapted = learner.lora !== null;
  const layouts: Omit<Layout, "maxBatch">[] = [];
  // One learner per node, and on several nodes at least half of each: fewer nodes with more GPUs each exchange less.
  for (let learnerActors = 1; learnerActors <= Math.min(nodes, mostLearners); learnerActors++)
    for (
      let replicas = learnerActors === 1 ? 1 : Math.ceil(gpusPerNode / 2);
      replicas <= Math.min(gpusPerNode, mostReplicas);
      replicas++
    ) {
      if (learnerActors * replicas > free) break;
      const actors = actorsBeside(learnerActors * replicas);
      layouts.push({ learnerActors, replicas, sharded: false, actors });
      if (replicas > 1 && !isAdapted) layouts.push({ learnerActors, replicas, sharded: true, actors });
    }
  return layouts.flatMap((layout) => batches.map((batch) => ({ ...layout, maxBatch: batch })));
}

/**
 * Returns the splits of the recipe's GPUs that fit into their memory, those that take the least expected time first, each with the largest
 * batch that fits.
 * @param gpuBytes memory of a GPU; undefined: not known, so that all fit
 */
export function plannedLayouts(
  recipe: Recipe,
  model: ModelConfig,
  work: Pick<ReturnType<typeof plannedWork>, "expected" | "longest">,
  gpuBytes: number | undefined,
): PlannedLayout[] {
  const found = new Map<string, PlannedLayout>();
  for (const layout of layoutsOf(recipe)) {
    const { maxBatch: _, ...split } = layout;
    const name = JSON.stringify(split);
    if (found.has(name)) continue;
    const own = withLayout(recipe, layout);
    if (recipeProblems(own, {}).length > 0 || placementProblems(own).length > 0) continue;
    if (gpuProblems(runMemory(own, model, gpuBytes), own, model, gpuBytes).length > 0) continue;
    found.set(name, { layout, time: plannedTime(own, model, resolveLearnerConfig(own.learner), work) });
  }
  return [...found.values()].sort((a, b) => a.time.expectedTotalSeconds - b.time.expectedTotalSeconds);
}

/** Returns a split that shows what does not fit where none does: as many replicas as the learner can have. */
export function largestLayout(recipe: Recipe): Layout | undefined {
  const layouts = layoutsOf(recipe).filter(({ maxBatch }) => maxBatch === recipe.rollout.maxBatch);
  return layouts.findLast(({ learnerActors }) => learnerActors === 1);
}

const splitSchema = recipeSchema.pick({
  ...{ learnerActors: true, learnerGpus: true, learner: true, rollout: true, plan: true },
});

/**
 * Checks a recipe that was given another split as if the split had been written in it.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function checkSplit(recipe: Recipe, name: string): void {
  const { learnerActors, learnerGpus, learner, rollout, plan } = recipe;
  parseConfig(splitSchema, { learnerActors, learnerGpus, learner, rollout, plan }, name);
  const problems = recipeProblems(recipe, {});
  if (problems.length > 0)
    throw new PalimpsestError("CONFIG_INVALID", `${name}: ${problems.join("\n  and ")}`);
}

/** Returns why the machines of `plan` have no room for the run's leases; none if they have, or if the plan does not say how many there are. */
export function placementProblems(recipe: Recipe): string[] {
  const gpus = plannedGpus(recipe);
  if (gpus === undefined) return [];
  const { learnerActors, learnerGpus, rollout } = recipe;
  const { nodes, gpusPerNode, total } = gpus;
  if (learnerGpus > gpusPerNode)
    return [
      `learnerGpus: is ${learnerGpus}, but plan.gpusPerNode is ${gpusPerNode}, and the GPUs of a learner are of one node; set learnerGpus and learner.replicas to at most ${gpusPerNode}`,
    ];
  const leases = [
    ...Array.from({ length: learnerActors }, () => learnerGpus),
    ...Array.from({ length: rollout.actors }, () => rollout.gpus),
  ].filter((share) => share > 0);
  if (hasRoom(leases, nodes, gpusPerNode)) return [];
  const learners = learnerActors === 1 ? "a learner" : `${learnerActors} learners`;
  const machines = nodes === 1 ? "one machine" : `${nodes} machines`;
  return [
    `plan: ${learners} of ${learnerGpus} and ${rollout.actors} rollout actors of ${rollout.gpus} GPUs have no room on ${machines} of ${gpusPerNode} GPUs; lower learnerActors, learnerGpus or rollout.actors, let --gpus ${nodes}x${gpusPerNode} split the ${total}, or raise plan.nodes`,
  ];
}

/** Whether leases fit, the largest first, each a number of whole GPUs of one node or a share of the fullest GPU that has room. */
function hasRoom(leases: readonly number[], nodes: number, gpusPerNode: number): boolean {
  const free = Array.from({ length: nodes }, () => Array.from({ length: gpusPerNode }, () => 1));
  for (const lease of [...leases].sort((a, b) => b - a)) {
    if (lease >= 1) {
      const node = free.find((own) => own.filter((share) => share === 1).length >= lease);
      if (node === undefined) return false;
      let left = lease;
      node.forEach((share, at) => {
        if (share !== 1 || left === 0) return;
        node[at] = 0;
        left -= 1;
      });
      continue;
    }
    const shares = free.flatMap((node) => node.map((share, at) => ({ node, at, share })));
    const fullest = shares.filter(({ share }) => share + 1e-9 >= lease).sort((a, b) => a.share - b.share)[0];
    if (fullest === undefined) return false;
    fullest.node[fullest.at] = fullest.share - lease;
  }
  return true;
}
