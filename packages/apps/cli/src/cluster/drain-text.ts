import type { DrainProgress } from "@palimpsest/client";
import { formatBytes } from "../display/bytes.js";
import { counted } from "../display/count.js";

/** Describes what is left on the node. */
export function drainText(progress: DrainProgress): string {
  const { movingActors, waitingActors, taskWorkers, drivers, objects, objectBytes, overdue, leftMs } =
    progress;
  const parts = [
    movingActors > 0 ? `${counted(movingActors, "actor")} moving elsewhere` : "",
    waitingActors > 0 ? `${counted(waitingActors, "actor")} that cannot restart` : "",
    taskWorkers > 0 ? `${counted(taskWorkers, "worker")} with tasks` : "",
    drivers > 0 ? `${counted(drivers, "driver")} of jobs` : "",
    objects > 0 ? `${counted(objects, "object")} of ${formatBytes(objectBytes)} only on this node` : "",
  ].filter((part) => part !== "");
  const what = parts.join(", ") || "nothing is left: the node ends";
  return overdue ? `${what}; the deadline has passed` : `${what}; ${Math.ceil(leftMs / 1_000)} s left`;
}
