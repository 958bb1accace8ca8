import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { Cluster } from "./cluster.js";
import type { DurableState, DurableTimers } from "./durable.js";
import type { Objects } from "./objects.js";

/** What an actor's class gets in `start(context)`. */
export interface ActorContext<State = unknown> {
  readonly actorId: string;
  /** Empty when it has none. */
  readonly name: string;
  /** In which its name is unique, and in which `connect()` names and finds actors. */
  readonly namespace: string;
  readonly role: string;
  readonly nodeId: string;
  readonly jobId: string;
  /** 1 in the first process of the actor, 2 after one restart, … */
  readonly incarnation: number;
  readonly clusterId: string;
  /** host:port of the head. */
  readonly headAddress: string;
  /** Of the actor's process: what its node runs with, less the node's own settings and secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The object store, through this node. */
  readonly objects: Objects;
  readonly logger: Logger;
  /** Served on the actor's own metrics endpoint. */
  readonly metrics: Metrics;
  /** Of a durable actor: what outlives its process. @throws {PalimpsestError} INVALID_ARGUMENT of any other */
  readonly state: DurableState<State>;
  /** Of a durable actor: methods that are called later. @throws {PalimpsestError} INVALID_ARGUMENT of any other */
  readonly timers: DurableTimers;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /**
   * Ends this actor for good, in order: stop() runs, it is not started again, and its certificate says so. What waits and
   * what runs fails with ACTOR_DIED at the callers. Never returns.
   */
  exit(reason?: string): Promise<never>;
  /** The cluster as a client; the same connection every time. What it spawns ends with this actor. */
  connect(): Promise<Cluster>;
}

/** Hooks that a class may have. Neither can be called remotely. */
export interface ActorLifecycle {
  /** Runs after the constructor and before the first call. */
  start?(context: ActorContext): Promise<void> | void;
  /** Runs when the process is asked to stop, within the node's grace. */
  stop?(): Promise<void> | void;
}
