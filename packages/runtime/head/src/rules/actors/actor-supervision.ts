/**
 * The state that the files of the actor lifecycle share (tables, clocks), and the functions that write an actor's
 * lease, request and death.
 */

import type { Clock } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import type * as proto from "@palimpsest/wire/protocol";
import { type Actor, mayStillRun } from "../../tables/actor.js";
import type { ActorTable } from "../../tables/actor-table.js";
import type { NodeTable } from "../../tables/node-table.js";
import type { Claims } from "../claims.js";
import type { PendingQueue } from "../placement.js";
import type { PlacementGroups } from "../placement-groups.js";
import type { TaskWorkers } from "../task-workers.js";
import type { Fences } from "./fences.js";
import type { RestartDelays } from "./restart-delays.js";
import type { ReturningNodes } from "./returning-nodes.js";
import type { StartRetryLimits } from "./start-retries.js";

export interface ActorLifecycleDeps {
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly pendingQueue: PendingQueue;
  readonly groups: PlacementGroups;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The milliseconds between SIGTERM and SIGKILL when an actor is stopped. */
  readonly stopGraceMs: number;
  readonly startRetries: StartRetryLimits;
  readonly taskWorkers: Pick<TaskWorkers, "leasedBy">;
  readonly claims: Claims;
  /** The milliseconds for which an unreachable node may keep running actors with fence: lease. */
  readonly fenceAfterMs: number;
}

export interface ActorSupervision extends ActorLifecycleDeps {
  readonly delays: RestartDelays;
  readonly fences: Fences;
  readonly returning: ReturningNodes;
  /** The orders to stop processes whose actors go on, by the actor's id, until the process has ended (ACTOR-11). */
  readonly stopping: Map<string, StopOrder>;
}

interface StopOrder {
  readonly incarnation: number;
  /** The milliseconds between SIGTERM and SIGKILL; undefined if the process ends with its node. */
  readonly graceMs: number | undefined;
  readonly reason: string;
  /** Whether the actor is to run elsewhere, so that this end does not count as a restart (ACTOR-10). */
  readonly isMove: boolean;
  /** Whether it makes room for another request. */
  readonly isPreemption?: boolean;
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

/** Removes the actor's pending request, if it has one. */
export function unqueue({ groups, pendingQueue }: ActorLifecycleDeps, { spec }: Actor): void {
  const key = pendingKey(spec.actorId);
  if (spec.placement === undefined) pendingQueue.remove(key);
  else groups.unqueue(spec.placement.groupId, key);
}

/** Records that the process has ended although nobody reported how, so that the next head need not wait for it. */
export function processEnded(actors: ActorTable, actorId: string): void {
  const actor = actors.get(actorId);
  if (actor === undefined || !mayStillRun(actor)) return;
  void actors.update(actorId, { certificate: { ...actor.certificate, processEnded: true } });
}

/** Orders the node to stop the actor. Returns false when the node has no link at the moment. */
export function stopActor(
  nodes: NodeTable,
  nodeId: string,
  actorId: string,
  graceMs: number,
  reason: string,
): boolean {
  return nodes.send(nodeId, { stopActor: { actorId, graceMs, reason } });
}

/** Returns the death certificate of the actor's current or last process, with what is known about how it ended. */
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
