import { dirname, join } from "node:path";

/** Folder of a run's checkpoints. */
export function checkpointDirOf(runDir: string): string {
  return join(runDir, "checkpoints");
}

/** Folder with the inputs of a run's last steps, next to its checkpoints. */
export function dumpDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "dumps");
}

/** Folder with the trajectories of a run's last steps as text, next to its checkpoints. */
export function tracesDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "traces");
}
