/** Which processes a profile of a job, or of all, is of. */

/** So many processes are profiled at once, since the answers of all are in memory together. */
export const mostProcesses = 256;

interface RunningActor {
  readonly actorId: string;
  readonly nodeId: string;
  readonly pid: number;
}

/** @returns the ids of one actor for each process, and of the job's driver, or without a job of the nodes */
export function processesOf(
  actors: readonly RunningActor[],
  nodeIds: readonly string[],
  jobId = "",
): readonly string[] {
  // Light actors share a process, which one of them stands for.
  const byProcess = new Map(actors.map(({ nodeId, pid, actorId }) => [`${nodeId} ${pid}`, actorId]));
  return [...byProcess.values(), ...(jobId === "" ? nodeIds : [jobId])];
}
