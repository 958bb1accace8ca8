import type { ActorContext, Cluster } from "@palimpsest/client";
import { RunQueues } from "@palimpsest/trajectories";
import type { RunSpec } from "./run-spec.js";

/** Opens the queues of a run for one of its actors. */
export function openRunQueues(
  context: ActorContext,
  { facts: { redisUrl, clusterId } }: Cluster,
  { runId, queues }: Pick<RunSpec, "runId" | "queues">,
): Promise<RunQueues> {
  const { logger, metrics } = context;
  return RunQueues.open({ redisUrl, clusterId, runId, settings: queues, logger, metrics });
}
