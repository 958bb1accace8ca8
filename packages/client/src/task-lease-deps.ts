/** What one leased worker for tasks needs, and tells. */
import type { Clock, Network, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "./actor-resolver.js";
import type { TaskCall } from "./task-call.js";

/** A task that was in flight when its worker ended. */
export interface Interrupted {
  readonly call: TaskCall;
  /** Whether it may have begun. */
  readonly begun: boolean;
}

/** @template Lease the worker itself, which its events name */
export interface TaskLeaseDeps<Lease> {
  readonly actorId: string;
  /** Who calls, for lists of tasks. */
  readonly callerId?: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly resolver: ActorResolver;
  /** Asks the head for the worker. */
  create(signal: AbortSignal): Promise<proto.ActorInfo.$Properties>;
  /** Ends it. @param crash whether its node is to tell how it ended before anybody else does */
  kill(crash: boolean): Promise<void>;
  /** It takes tasks now. */
  onOpen(lease: Lease): void;
  /** One of its tasks is answered, which ran this long; undefined: its worker does not say. */
  onLeft(lease: Lease, ranMs: number | undefined): void;
  onInterrupted(lease: Lease, tasks: readonly Interrupted[], error: PalimpsestError): void;
  /** It has ended; undefined: it was given back. @param neverOpened it could not be had at all */
  onEnded(lease: Lease, error: PalimpsestError | undefined, neverOpened: boolean): void;
}
