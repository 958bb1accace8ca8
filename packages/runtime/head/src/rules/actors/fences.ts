/**
 * Responsibility: which actors must not be started yet, because an earlier process of theirs, or of the actor that
 * had their name before, may still run.
 * Not responsible for: killing that process (its node does, on request or when its lease expires).
 *
 * Invariants:
 * - FENCE-1. An actor with fence: lease that was lost with its node is restarted only when that node's lease has
 *   certainly expired: one lease after the head last heard from the node, plus a tenth for clock drift and for the
 *   kill.
 * - FENCE-2. A head that was started in the meantime waits as if it had heard from the node at its own start.
 * - FENCE-3. An actor is started under the name of a dead one with fence: lease only when the dead actor's process
 *   has certainly ended: its node has reported the end, or the time of FENCE-1 has passed.
 */
import type { Clock } from "@palimpsest/std";
import { needsFence } from "@palimpsest/wire";
import { type Actor, fullNameOf, mayStillRun } from "../../tables/actor.js";

interface Fence {
  /** The actor as it was before it was lost or killed. */
  readonly actor: Actor;
  /**
   * Cancels the timer that lifts the fence. It is absent while the node is expected to report that the process has
   * ended.
   */
  readonly cancel?: () => void;
}

interface Waiting {
  readonly actor: Actor;
  readonly start: () => void;
}

export class Fences {
  readonly #clock: Clock;
  readonly #fenceAfterMs: number;
  readonly #onEnded: (actorId: string) => void;
  readonly #fences = new Map<string, Fence>();
  /** The ids of fenced actors by their full name. */
  readonly #named = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, Waiting>();

  /** @param onEnded called when the process of an actor has certainly ended */
  constructor(clock: Clock, fenceAfterMs: number, onEnded: (actorId: string) => void) {
    this.#clock = clock;
    this.#fenceAfterMs = fenceAfterMs;
    this.#onEnded = onEnded;
  }

  /**
   * Fences an actor that was lost with its node.
   * @param heardAtMs when the head last heard from that node; undefined if it never has
   */
  lost(actor: Actor, heardAtMs = this.#clock.monotonicMs()): void {
    if (!needsFence(actor.spec)) return;
    const leftMs = heardAtMs + this.#fenceAfterMs * 1.1 - this.#clock.monotonicMs();
    const cancel = this.#clock.after(Math.max(0, leftMs), () => this.#end(actor.spec.actorId));
    this.#raise({ actor, cancel });
  }

  /** Fences an actor that is killed for good, until its node reports that the process has ended. */
  stopping(actor: Actor): void {
    if (needsFence(actor.spec) && actor.spec.name !== "") this.#raise({ actor });
  }

  /** Fences an actor of an earlier head that is waiting for its restart, or that is dead (FENCE-2). */
  recovered(actor: Actor): void {
    if (!mayStillRun(actor) || (actor.state === "DEAD" && actor.spec.name === "")) return;
    this.lost({ ...actor, nodeId: actor.certificate?.nodeId ?? "" });
  }

  /** Starts the timers of FENCE-1 for processes that the lost node had still been ordered to stop. */
  nodeLost(nodeId: string, heardAtMs: number | undefined): void {
    for (const { actor, cancel } of [...this.#fences.values()])
      if (actor.nodeId === nodeId && cancel === undefined) this.lost(actor, heardAtMs);
  }

  /** Lifts the fences of processes that are missing from the node's complete list of what it runs. */
  nodeTold(nodeId: string, stillRuns: (actorId: string, incarnation: number) => boolean): void {
    for (const { actor } of [...this.#fences.values()]) {
      const { actorId } = actor.spec;
      if (actor.nodeId === nodeId && !stillRuns(actorId, actor.incarnation)) this.#end(actorId);
    }
  }

  /** Lifts the fence of a process that has certainly ended, or was never started. */
  ended(actorId: string, nodeId: string, incarnation: number): void {
    if (this.#matching(actorId, nodeId, incarnation)) this.#end(actorId);
  }

  /**
   * Lifts the fence of a process that still runs on that node, and returns the actor as it was before it was lost.
   * The actor no longer waits for a start.
   */
  found(actorId: string, nodeId: string, incarnation: number): Actor | undefined {
    const actor = this.#matching(actorId, nodeId, incarnation);
    if (actor !== undefined) {
      this.stopWaiting(actorId);
      this.#lift(actorId);
    }
    return actor;
  }

  /** Calls `start` as soon as the actor may be started, which may be at once. */
  whenFree(actor: Actor, start: () => void): void {
    const { actorId } = actor.spec;
    if (this.holderOf(actor) === undefined) {
      this.stopWaiting(actorId);
      start();
    } else this.#waiting.set(actorId, { actor, start });
  }

  /** Returns whether a process of the actor may still run, although the actor waits for a restart or is dead. */
  mayRun(actorId: string): boolean {
    return this.#fences.has(actorId);
  }

  stopWaiting(actorId: string): void {
    this.#waiting.delete(actorId);
  }

  /** Returns the actor whose process blocks the start: the actor itself, or a dead actor that had its name. */
  holderOf({ spec }: Actor): Actor | undefined {
    const own = this.#fences.get(spec.actorId)?.actor;
    if (own !== undefined) return own;
    const [namesake] = this.#named.get(fullNameOf(spec)) ?? [];
    return namesake === undefined ? undefined : this.#fences.get(namesake)?.actor;
  }

  close(): void {
    for (const { cancel } of this.#fences.values()) cancel?.();
    this.#fences.clear();
    this.#named.clear();
    this.#waiting.clear();
  }

  #matching(actorId: string, nodeId: string, incarnation: number): Actor | undefined {
    const actor = this.#fences.get(actorId)?.actor;
    return actor?.nodeId === nodeId && actor.incarnation === incarnation ? actor : undefined;
  }

  #raise(fence: Fence): void {
    const { actorId } = fence.actor.spec;
    const name = fullNameOf(fence.actor.spec);
    this.#fences.get(actorId)?.cancel?.();
    this.#fences.set(actorId, fence);
    if (name === "") return;
    const holders = this.#named.get(name) ?? new Set();
    this.#named.set(name, holders);
    holders.add(actorId);
  }

  #end(actorId: string): void {
    this.#onEnded(actorId);
    this.#lift(actorId);
  }

  #lift(actorId: string): void {
    const fence = this.#fences.get(actorId);
    if (fence === undefined) return;
    fence.cancel?.();
    this.#fences.delete(actorId);
    const name = fullNameOf(fence.actor.spec);
    const holders = this.#named.get(name);
    holders?.delete(actorId);
    if (holders?.size === 0) this.#named.delete(name);
    const waits = ({ actor: { spec } }: Waiting) =>
      spec.actorId === actorId || (name !== "" && fullNameOf(spec) === name);
    for (const { actor, start } of [...this.#waiting.values()].filter(waits)) this.whenFree(actor, start);
  }
}
