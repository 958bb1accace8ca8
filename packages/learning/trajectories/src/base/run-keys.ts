import { PalimpsestError } from "@palimpsest/wire";

/** The BullMQ queues of a run. */
export const queueNames = ["rollouts", "rewards"] as const;
export type QueueName = (typeof queueNames)[number];

/** Keys of all runs of one cluster. Several clusters may share one Redis. */
export interface ClusterKeys {
  /** Set of the ids of all runs that have queues. */
  readonly runs: string;
  /** Hash from run id to the JSON summary that remains when its queues are deleted. */
  readonly runSummaries: string;
}

/** @param clusterId id of the head's cluster; "" for runs of programs without a cluster */
export function clusterKeys(clusterId: string): ClusterKeys {
  return { runs: `palimpsest:runs:${clusterId}`, runSummaries: `palimpsest:run-summaries:${clusterId}` };
}

/**
 * Redis keys of one run, except BullMQ's, which are under `bullmq` and used by BullMQ alone. The run id is the hash
 * tag, so a run is in one slot of a Redis Cluster.
 */
export interface RunKeys {
  readonly prefix: string;
  /** The prefix that BullMQ is given. */
  readonly bullmq: string;
  /** Hash from the id of each outstanding group to its size. */
  readonly outstanding: string;
  /** Set of outstanding groups whose jobs may not be on the queues yet. */
  readonly dispatching: string;
  /** Sorted set of outstanding groups with no open episode, by the order in which they completed. */
  readonly complete: string;
  /** Hash from the id of each closed group to "trained" or "failed:REASON". */
  readonly closed: string;
  /** List of the closed groups, newest first. */
  readonly closedOrder: string;
  readonly counts: string;
  /** Number of the format in which the run's trajectories are written; there is one as soon as there are counts. */
  readonly format: string;
  readonly failures: string;
  readonly consumerEpoch: string;
  /** Channel on which the completion of a group is published. */
  readonly completions: string;
  readonly weights: string;
  /** Hash of one outstanding group: its specification, what is open, and each episode's score or failure. */
  group(groupId: string): string;
  task(groupId: string): string;
  trajectory(groupId: string, episodeIndex: number): string;
  /** Key of a trajectory that its writer has sent and the ledger has not yet committed. */
  staged(name: string): string;
}

/**
 * @throws {PalimpsestError} INVALID_ARGUMENT when the run id has characters other than letters, digits, "." , "_" and
 *   "-"
 */
export function runKeys(runId: string): RunKeys {
  checkId("runId", runId);
  const prefix = `{palimpsest-${runId}}`;
  return {
    prefix,
    bullmq: `${prefix}:bullmq`,
    outstanding: `${prefix}:ledger:outstanding`,
    dispatching: `${prefix}:ledger:dispatching`,
    complete: `${prefix}:ledger:complete`,
    closed: `${prefix}:ledger:closed`,
    closedOrder: `${prefix}:ledger:closed-order`,
    counts: `${prefix}:ledger:counts`,
    format: `${prefix}:ledger:format`,
    failures: `${prefix}:ledger:failures`,
    consumerEpoch: `${prefix}:consumer-epoch`,
    completions: `${prefix}:completions`,
    weights: `${prefix}:weights`,
    group: (groupId) => `${prefix}:group:${groupId}`,
    task: (groupId) => `${prefix}:task:${groupId}`,
    trajectory: (groupId, episodeIndex) => `${prefix}:trajectory:${groupId}.${episodeIndex}`,
    staged: (name) => `${prefix}:staged:${name}`,
  };
}

/**
 * Checks an id, which becomes a job id and part of keys. An id of digits alone would clash with BullMQ's own ids.
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function checkId(field: string, id: string): void {
  if (!/^(?!\d+$)[A-Za-z0-9._-]{1,128}$/.test(id)) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${field} is "${id}", but must be 1 to 128 letters, digits, ".", "_" or "-", and not only digits`,
    );
  }
}
