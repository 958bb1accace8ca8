import { PalimpsestError } from "@palimpsest/wire";
import type { ActorContext } from "./actor-context.js";
import { setTaskSignal } from "./task-signal.js";

/** What a function that runs as a task can ask. `actorId` is that of its worker, which may run many. */
export interface TaskContext
  extends Pick<
    ActorContext,
    | "actorId"
    | "nodeId"
    | "jobId"
    | "clusterId"
    | "headAddress"
    | "environment"
    | "objects"
    | "logger"
    | "metrics"
    | "connect"
  > {
  /** Aborts when the task is cancelled, or its time is over. */
  readonly signal: AbortSignal;
}

let current: (() => TaskContext) | undefined;

/**
 * The context of the task that runs in this process. One runs at a time: ask before the first await, and keep it.
 * @throws {PalimpsestError} INVALID_ARGUMENT outside of tasks
 */
export function taskContext(): TaskContext {
  if (current) return current();
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    "no task runs in this process: call taskContext() in a function that cluster.task() runs",
  );
}

/** For the process that hosts tasks. @param context makes that of the task that begins, and the same each time */
export function setTaskContext(context: () => TaskContext): void {
  current = context;
  setTaskSignal(() => context().signal);
}
