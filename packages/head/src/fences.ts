/**
 * Responsibility: which actors must not be started again yet, because a node out of reach may still run them.
 * Not responsible for: killing them there (their node does, when its lease runs out).
 *
 * Invariants:
 * - FENCE-1. An actor with fence: lease that was lost with its node is started again only when the lease of that node
 *   has run out for sure: one lease, and a tenth for clocks and for the kill, after the head heard of the node last.
 * - FENCE-2. A head that was started meanwhile waits as if it had heard of the node at its own start.
 */
import { type Clock, needsFence } from "@palimpsest/wire";
import { type Actor, mayStillRun } from "./actor.js";

interface Fence {
  /** The actor as it was before it was lost. */
  readonly actor: Actor;
  readonly untilMs: number;
}

export class Fences {
  readonly #clock: Clock;
  readonly #fenceAfterMs: number;
  readonly #fences = new Map<string, Fence>();

  constructor(clock: Clock, fenceAfterMs: number) {
    this.#clock = clock;
    this.#fenceAfterMs = fenceAfterMs;
  }

  /** The actor was lost with its node. @param heardAtMs when the head heard of that node last; undefined: never */
  lost(actor: Actor, heardAtMs = this.#clock.monotonicMs()): void {
    if (!needsFence(actor.spec)) return;
    this.#fences.set(actor.spec.actorId, { actor, untilMs: heardAtMs + this.#fenceAfterMs * 1.1 });
  }

  /** FENCE-2: an actor of an earlier head that waits to be started again. */
  recovered(actor: Actor): void {
    if (mayStillRun(actor)) this.lost({ ...actor, nodeId: actor.certificate?.nodeId ?? "" });
  }

  /** How long the actor has to wait, 0 when it may be started. */
  remainingMs(actorId: string): number {
    const fence = this.#fences.get(actorId);
    if (fence === undefined) return 0;
    const remainingMs = fence.untilMs - this.#clock.monotonicMs();
    if (remainingMs <= 0) this.#fences.delete(actorId);
    return Math.max(0, remainingMs);
  }

  /** The actor as it was before it was lost, if its process still runs on that node; it waits no more. */
  found(actorId: string, nodeId: string, incarnation: number): Actor | undefined {
    const actor = this.#fences.get(actorId)?.actor;
    if (actor?.nodeId !== nodeId || actor.incarnation !== incarnation) return undefined;
    this.#fences.delete(actorId);
    return actor;
  }

  forget(actorId: string): void {
    this.#fences.delete(actorId);
  }
}
