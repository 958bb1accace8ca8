import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { ActorBulk } from "@palimpsest/wire";
import type { DurableState, DurableTimers } from "../base/durable.js";
import type { Objects } from "../values/objects.js";
import type { Cluster } from "./cluster.js";

/** The context that an actor's class receives in `start(context)`. */
export interface ActorContext<State = unknown> {
  readonly actorId: string;
  /** The actor's name; empty if it has none. */
  readonly name: string;
  /** The namespace in which the actor's name is unique, and in which `connect()` creates and finds named actors. */
  readonly namespace: string;
  readonly role: string;
  readonly nodeId: string;
  readonly jobId: string;
  /** The number of the actor's process: 1 for the first, 2 after one restart, and so on. */
  readonly incarnation: number;
  readonly clusterId: string;
  /** host:port of the head. */
  readonly headAddress: string;
  /** Environment variables of the actor's process: the node's, without the node's own settings and secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads and writes the cluster's objects through this node. */
  readonly objects: Objects;
  readonly bulk: ActorBulk;
  readonly logger: Logger;
  /** The metrics that the actor's own metrics endpoint serves. */
  readonly metrics: Metrics;
  /**
   * State of a durable actor that outlives its process.
   * @throws {PalimpsestError} INVALID_ARGUMENT if the actor is not durable
   */
  readonly state: DurableState<State>;
  /**
   * Timers of a durable actor, which call its methods later.
   * @throws {PalimpsestError} INVALID_ARGUMENT if the actor is not durable
   */
  readonly timers: DurableTimers;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /**
   * Ends this actor permanently: stop() runs, the actor is not restarted, and its death certificate says so. Waiting
   * and running calls fail with ACTOR_DIED at their callers. Never returns.
   */
  exit(reason?: string): Promise<never>;
  /**
   * Connects to the cluster as a client; every call returns the same connection. Whatever the actor spawns ends with
   * this actor.
   */
  connect(): Promise<Cluster>;
}

/** Hooks that a class may have. Neither can be called remotely. */
export interface ActorLifecycle {
  /** Runs after the constructor and before the first call. */
  start?(context: ActorContext): Promise<void> | void;
  /** Runs when the process is asked to stop, within the node's grace period. */
  stop?(): Promise<void> | void;
}
