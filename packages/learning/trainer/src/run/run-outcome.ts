/** The results of a run in addition to its metrics: the trained weights, and a sample episode. */
import type { Cluster } from "@palimpsest/client";
import type { Trace } from "@palimpsest/evals";
import type { RunQueues } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { RunSpec } from "../records/run-spec.js";
import { fetchPolicy } from "../weights/policy-weights.js";
import { fetchWeights, type Parameters } from "../weights/weights.js";
import type { LengthTasks } from "./evaluation.js";
import type { RunActors } from "./run-actors.js";

/** Transfers the weights through the object stores, since the size of a reply to a call is limited. */
export async function trainedWeights(
  cluster: Cluster,
  queues: RunQueues,
  spec: RunSpec,
): Promise<Parameters> {
  const announced = await queues.currentWeights();
  if (announced === undefined)
    throw new PalimpsestError("INTERNAL", "the learner has not announced any weights");
  const initial = proto.WeightManifest.decode(spec.initialWeights);
  return await fetchPolicy(cluster.objects, proto.WeightManifest.decode(announced), spec.model, {
    weightsHash: initial.weightsHash,
    parameters: () => fetchWeights(cluster.objects, initial),
  });
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
