import { dirname, join } from "node:path";

/** Folder of a run's checkpoints. */
export function checkpointDirOf(runDir: string): string {
  return join(runDir, "checkpoints");
}

/** Folder of what a run's last steps were given, beside its checkpoints. */
export function dumpDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "dumps");
}

/** Folder of the trajectories of a run's last steps as text, beside its checkpoints. */
export function tracesDirOf(checkpointDir: string): string {
  return join(dirname(checkpointDir), "traces");
}
