import { PalimpsestError } from "@palimpsest/wire";

/** The three queues of a run; BullMQ knows them by these names under the run's prefix. */
export const queueNames = ["rollouts", "rewards", "groups"] as const;
export type QueueName = (typeof queueNames)[number];

/** Set of the ids of all runs that have queues. */
export const runsKey = "palimpsest:runs";
/** Hash from run id to the JSON summary that stays when its queues are deleted. */
export const runSummariesKey = "palimpsest:run-summaries";

/** Every Redis key of one run. The run id is the hash tag, so a run lives in one slot of a Redis Cluster. */
export interface RunKeys {
  readonly prefix: string;
  readonly outstanding: string;
  readonly dispatching: string;
  readonly trained: string;
  readonly failed: string;
  readonly counts: string;
  readonly failures: string;
  readonly consumerEpoch: string;
  readonly weights: string;
  readonly objectHolders: string;
  task(groupId: string): string;
  trajectory(trajectoryId: string): string;
  score(trajectoryId: string): string;
  /** A key of BullMQ's own: `wait`, `active`, a job id, … */
  queue(name: QueueName, part: string): string;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT when the run id has other characters than letters, digits, . _ - */
export function runKeys(runId: string): RunKeys {
  checkId("runId", runId);
  const prefix = `{palimpsest-${runId}}`;
  return {
    prefix,
    outstanding: `${prefix}:ledger:outstanding`,
    dispatching: `${prefix}:ledger:dispatching`,
    trained: `${prefix}:ledger:trained`,
    failed: `${prefix}:ledger:failed`,
    counts: `${prefix}:ledger:counts`,
    failures: `${prefix}:ledger:failures`,
    consumerEpoch: `${prefix}:consumer-epoch`,
    weights: `${prefix}:weights`,
    objectHolders: `${prefix}:object-holders`,
    task: (groupId) => `${prefix}:task:${groupId}`,
    trajectory: (trajectoryId) => `${prefix}:trajectory:${trajectoryId}`,
    score: (trajectoryId) => `${prefix}:score:${trajectoryId}`,
    queue: (name, part) => `${prefix}:${name}:${part}`,
  };
}

/** Ids become job ids and parts of keys. Only digits would clash with BullMQ's own ids.
 *  @throws {PalimpsestError} INVALID_ARGUMENT */
export function checkId(field: string, id: string): void {
  if (!/^(?!\d+$)[A-Za-z0-9._-]{1,128}$/.test(id)) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${field} "${id}" must be 1 to 128 letters, digits, ".", "_" or "-", and not digits alone`,
    );
  }
}
