/** The dependencies and events of one leased worker for tasks. */
import type { Clock } from "@palimpsest/std";
import type { Network, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import type { TaskCall } from "./task-call.js";

/** A task that was in flight when its worker ended. */
export interface Interrupted {
  readonly call: TaskCall;
  /** Whether it may have begun. */
  readonly begun: boolean;
}

/** @template Lease the worker itself, which its events pass on */
export interface TaskLeaseDeps<Lease> {
  readonly actorId: string;
  /** The caller's name, which listings of tasks show. */
  readonly callerId?: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly resolver: ActorResolver;
  /** Requests the worker from the head. */
  create(signal: AbortSignal): Promise<proto.ActorInfo.$Properties>;
  /** Ends the worker. @param crash whether its node should be the first to report how it ended */
  kill(crash: boolean): Promise<void>;
  /** Called when the worker accepts tasks. */
  onOpen(lease: Lease): void;
  /** Called when a task was answered, with its running time; undefined if the worker does not report it. */
  onLeft(lease: Lease, ranMs: number | undefined): void;
  onInterrupted(lease: Lease, tasks: readonly Interrupted[], error: PalimpsestError): void;
  /**
   * Called when the worker has ended.
   * @param error why it has ended; undefined if it was returned
   * @param neverOpened whether the worker could not be started at all
   */
  onEnded(lease: Lease, error: PalimpsestError | undefined, neverOpened: boolean): void;
}
