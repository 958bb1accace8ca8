/** The results of a run in addition to its metrics: the trained weights, and a sample episode. */
import type { Cluster } from "@palimpsest/client";
import type { Trace } from "@palimpsest/evals";
import type { RunQueues } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { publishedType } from "../parts/learner-settings.js";
import type { RunSpec } from "../records/run-spec.js";
import { fetchPolicy } from "../weights/policy-weights.js";
import { fetchFloats, type Parameters, widened } from "../weights/weights.js";
import type { LengthTasks } from "./evaluation.js";
import type { RunActors } from "./run-actors.js";

/** How long the learner may take to store whole weights in float32, of which a large model has tens of gigabytes. */
const storeTimeoutMs = 30 * 60_000;

/**
 * Returns the weights in float32. They pass through the object stores, since the size of a reply to a call is limited; where samplers
 * get them in bfloat16, the learner stores them once more.
 */
export async function trainedWeights(
  cluster: Cluster,
  queues: RunQueues,
  spec: RunSpec,
  { learner }: Pick<RunActors, "learner">,
): Promise<Parameters> {
  const announced = await queues.currentWeights();
  if (announced === undefined)
    throw new PalimpsestError("INTERNAL", "the learner has not announced any weights");
  const initial = proto.WeightManifest.decode(spec.initialWeights);
  const isRounded = publishedType(spec.recipe) === "bfloat16";
  const bytes = isRounded ? await learner.with({ timeoutMs: storeTimeoutMs }).storeFloats() : announced;
  const base = {
    weightsHash: initial.weightsHash,
    parameters: () => fetchFloats(cluster.objects, initial),
  };
  const manifest = proto.WeightManifest.decode(bytes);
  return widened(await fetchPolicy(cluster.objects, manifest, spec.model, base));
}

export async function exampleOf(
  actors: RunActors,
  lengths: readonly LengthTasks[],
  minPolicyVersion: number,
): Promise<Trace | undefined> {
  const task = await (lengths[1] ?? lengths[0])?.tasks.open(0);
  if (!task) return undefined;
  return await actors.rollouts[0]?.trace(task, minPolicyVersion);
}
