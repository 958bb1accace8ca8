import { PalimpsestError } from "@palimpsest/wire";
import { setTaskSignal } from "../tasks/task-signal.js";
import type { ActorContext } from "./actor-context.js";

/** The context of a function that runs as a task. `actorId` is that of its worker, which may run many tasks. */
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
  /** Aborts when the task is canceled or its deadline has passed. */
  readonly signal: AbortSignal;
}

let current: (() => TaskContext) | undefined;

/**
 * Returns the context of the task that runs in this process. Tasks run one at a time: call this before the first
 * await, and keep the result.
 * @throws {PalimpsestError} INVALID_ARGUMENT outside of tasks
 */
export function taskContext(): TaskContext {
  if (current) return current();
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    "no task runs in this process: call taskContext() in a function that cluster.task() runs",
  );
}

/**
 * For the process that hosts tasks.
 * @param context returns the context of the running task, the same one each time
 */
export function setTaskContext(context: () => TaskContext): void {
  current = context;
  setTaskSignal(() => context().signal);
}
