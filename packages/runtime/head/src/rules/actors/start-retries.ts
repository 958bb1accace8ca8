/**
 * What follows a start that did not make the actor ALIVE: a retry, or the end.
 *
 * Responsibility: the decision, made from the actor's row alone, so that a restarted head decides the same way.
 * Not responsible for: carrying it out (actor-deaths.ts), or starts that failed for good.
 *
 * Invariants:
 * - START-1. A start that failed for a transient reason is retried with back-off and uses up no restart, until
 *   startRetryAttempts or startRetryMs is reached.
 * - START-2. An actor whose starts were interrupted by the loss of startMaxLostNodes nodes is not started on another
 *   one.
 * - START-3. The counts of failed starts and of lost nodes are reset when the actor is ALIVE.
 * - START-4. A node that comes back as the same process no longer counts as lost: it was only disconnected.
 */
import { backoffMs } from "@palimpsest/std";
import type { Actor } from "../../tables/actor.js";
import { restartBackoff } from "./restart-delays.js";

export interface StartRetryLimits {
  /** The maximum number of consecutive starts that may fail for a transient reason. */
  readonly startRetryAttempts: number;
  /** The milliseconds for which they may keep failing. */
  readonly startRetryMs: number;
  /** The maximum number of nodes that may be lost while they start the same actor. */
  readonly startMaxLostNodes: number;
}

type StartCounts = Pick<Actor, "startFailures" | "startFailingMs" | "lostStartNodeIds">;

export type NextStart =
  | { readonly counts: Partial<StartCounts>; readonly delayMs: number; readonly giveUp?: undefined }
  /** Why it is not retried. */
  | { readonly counts: Partial<StartCounts>; readonly giveUp: string };

export const freshStart: StartCounts = { startFailures: 0, startFailingMs: 0, lostStartNodeIds: [] };

/**
 * Decides what follows a start whose module, constructor or start() failed for a transient reason, or that had no
 * bundle.
 * @param sinceLastMs time since the previous failure, on the monotonic clock; 0 if another head saw that one
 */
export function afterFailedStart(
  actor: Actor,
  reason: string,
  sinceLastMs: number,
  limits: StartRetryLimits,
): NextStart {
  const startFailures = actor.startFailures + 1;
  const startFailingMs = actor.startFailures === 0 ? 0 : Math.round(actor.startFailingMs + sinceLastMs);
  const counts = { startFailures, startFailingMs };
  if (startFailures < limits.startRetryAttempts && startFailingMs < limits.startRetryMs) {
    return { counts, delayMs: backoffMs(restartBackoff, startFailures) };
  }
  const seconds = Math.round(startFailingMs / 1000);
  return {
    counts,
    giveUp: `its start failed ${startFailures} times in ${seconds} s; the last time: ${reason}`,
  };
}

/** Decides what follows a start that was interrupted by the loss of its node. */
export function afterLostStart(actor: Actor, nodeId: string, limits: StartRetryLimits): NextStart {
  const lostStartNodeIds = [...actor.lostStartNodeIds, nodeId];
  const counts = { lostStartNodeIds };
  const lost = lostStartNodeIds.length;
  if (lost < limits.startMaxLostNodes) return { counts, delayMs: backoffMs(restartBackoff, lost) };
  const nodes = lost === 1 ? "1 node was lost while it" : `${lost} nodes were lost while they`;
  return {
    counts,
    giveUp:
      `${nodes} started it (${lostStartNodeIds.join(", ")}), so it is not started on another one: ` +
      "check what its constructor and start() use, memory first",
  };
}

/** Returns why an actor that is being restarted is not ALIVE yet; empty when no start of it has failed. */
export function startRetryReason(actor: Actor): string {
  if (actor.state === "ALIVE" || actor.state === "DEAD") return "";
  const reasons: string[] = [];
  if (actor.startFailures > 0) {
    const times = actor.startFailures === 1 ? "once" : `${actor.startFailures} times`;
    const last = actor.constructorError?.message ?? "unknown";
    reasons.push(`its start failed ${times} for a transient reason and will be retried: ${last}`);
  }
  if (actor.lostStartNodeIds.length > 0)
    reasons.push(`lost while starting it: ${actor.lostStartNodeIds.join(", ")}`);
  return reasons.join("; ");
}
