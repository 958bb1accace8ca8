/** What the files of the actors' lifecycle share: tables, clocks, and how an actor's lease, request and end are written. */
import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { Clock } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Actor } from "./actor.js";
import type { ActorTable } from "./actor-table.js";
import type { Fences } from "./fences.js";
import type { NodeTable } from "./node-table.js";
import type { PendingQueue } from "./placement.js";
import type { PlacementGroups } from "./placement-groups.js";
import type { RestartDelays } from "./restart-delays.js";
import type { ReturningNodes } from "./returning-nodes.js";
import type { StartRetryLimits } from "./start-retries.js";
import type { TaskWorkers } from "./task-workers.js";

export interface ActorLifecycleDeps {
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly pendingQueue: PendingQueue;
  readonly groups: PlacementGroups;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Between SIGTERM and SIGKILL of an actor that is stopped. */
  readonly stopGraceMs: number;
  readonly startRetries: StartRetryLimits;
  readonly taskWorkers: Pick<TaskWorkers, "leasedBy">;
  /** How long a node out of reach may run actors with fence: lease. */
  readonly fenceAfterMs: number;
}

export interface ActorSupervision extends ActorLifecycleDeps {
  readonly delays: RestartDelays;
  readonly fences: Fences;
  readonly returning: ReturningNodes;
  /** Incarnations that are stopped to be started elsewhere, by actor: their end uses no restart. */
  readonly moving: Map<string, number>;
}

export type Certificate = proto.DeathCertificate.$Properties;

export const noProcess: Pick<Actor, "address" | "metricsAddress" | "pid" | "gpuIds" | "bundle"> = {
  address: "",
  metricsAddress: "",
  pid: 0,
  gpuIds: [],
  bundle: undefined,
};

export function pendingKey(actorId: string): string {
  return `actor/${actorId}`;
}

/** It waits for no node any more. */
export function unqueue({ groups, pendingQueue }: ActorLifecycleDeps, { spec }: Actor): void {
  const key = pendingKey(spec.actorId);
  if (spec.placement === undefined) pendingQueue.remove(key);
  else groups.unqueue(spec.placement.groupId, key);
}

/** Tells the node to stop the actor; false when it has no link now. */
export function stopActor(
  nodes: NodeTable,
  nodeId: string,
  actorId: string,
  graceMs: number,
  reason: string,
): boolean {
  return nodes.send(nodeId, { stopActor: { actorId, graceMs, reason } });
}

/** The certificate of the process that the actor has or had, with what is known of its end. */
export function certificateOf(
  clock: Clock,
  actor: Actor,
  reason: string,
  known: Certificate | null = {},
): Certificate {
  return {
    ...known,
    reason: reason || "its process ended",
    diedAtMs: known?.diedAtMs || clock.now(),
    ownerId: actor.spec.ownerId,
    nodeId: actor.nodeId,
    pid: known?.pid || actor.pid,
  };
}
