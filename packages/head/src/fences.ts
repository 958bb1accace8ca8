/**
 * Responsibility: which actors must not be started yet, because a process of them, or of the actor that had their name
 * before, may still run.
 * Not responsible for: killing it (its node does, on request or when its lease runs out).
 *
 * Invariants:
 * - FENCE-1. An actor with fence: lease that was lost with its node is started again only when the lease of that node
 *   has run out for sure: one lease, and a tenth for clocks and for the kill, after the head heard of the node last.
 * - FENCE-2. A head that was started meanwhile waits as if it had heard of the node at its own start.
 * - FENCE-3. An actor is started under the name of a dead one with fence: lease only when the process of that one has
 *   surely ended: its node said so, or FENCE-1 holds of it.
 */
import { type Clock, needsFence } from "@palimpsest/wire";
import { type Actor, fullNameOf, mayStillRun } from "./actor.js";

interface Fence {
  /** The actor as it was before it was lost or killed. */
  readonly actor: Actor;
  /** Lifts it when the time is over; absent while its node is to say that the process has ended. */
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
  /** Ids of fenced actors by their full name. */
  readonly #named = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, Waiting>();

  /** @param onEnded called when the process of an actor has surely ended */
  constructor(clock: Clock, fenceAfterMs: number, onEnded: (actorId: string) => void) {
    this.#clock = clock;
    this.#fenceAfterMs = fenceAfterMs;
    this.#onEnded = onEnded;
  }

  /** The actor was lost with its node. @param heardAtMs when the head heard of that node last; undefined: never */
  lost(actor: Actor, heardAtMs = this.#clock.monotonicMs()): void {
    if (!needsFence(actor.spec)) return;
    const leftMs = heardAtMs + this.#fenceAfterMs * 1.1 - this.#clock.monotonicMs();
    const cancel = this.#clock.after(Math.max(0, leftMs), () => this.#end(actor.spec.actorId));
    this.#raise({ actor, cancel });
  }

  /** The actor is killed for good: its node is to say when its process has ended. */
  stopping(actor: Actor): void {
    if (needsFence(actor.spec) && actor.spec.name !== "") this.#raise({ actor });
  }

  /** FENCE-2: an actor of an earlier head that waits to be started again, or that is dead. */
  recovered(actor: Actor): void {
    if (!mayStillRun(actor) || (actor.state === "DEAD" && actor.spec.name === "")) return;
    this.lost({ ...actor, nodeId: actor.certificate?.nodeId ?? "" });
  }

  /** The node was lost with what it was still to stop. */
  nodeLost(nodeId: string, heardAtMs: number | undefined): void {
    for (const { actor, cancel } of [...this.#fences.values()])
      if (actor.nodeId === nodeId && cancel === undefined) this.lost(actor, heardAtMs);
  }

  /** The node has told all that runs on it. */
  nodeTold(nodeId: string, stillRuns: (actorId: string, incarnation: number) => boolean): void {
    for (const { actor } of [...this.#fences.values()]) {
      const { actorId } = actor.spec;
      if (actor.nodeId === nodeId && !stillRuns(actorId, actor.incarnation)) this.#end(actorId);
    }
  }

  /** That process has surely ended, or was never started. */
  ended(actorId: string, nodeId: string, incarnation: number): void {
    if (this.#matching(actorId, nodeId, incarnation)) this.#end(actorId);
  }

  /** The actor as it was before it was lost, if its process still runs on that node; it waits no more. */
  found(actorId: string, nodeId: string, incarnation: number): Actor | undefined {
    const actor = this.#matching(actorId, nodeId, incarnation);
    if (actor !== undefined) {
      this.stopWaiting(actorId);
      this.#lift(actorId);
    }
    return actor;
  }

  /** Calls `start` when the actor may be started, at once where it may be now. */
  whenFree(actor: Actor, start: () => void): void {
    const { actorId } = actor.spec;
    if (this.holderOf(actor) === undefined) {
      this.stopWaiting(actorId);
      start();
    } else this.#waiting.set(actorId, { actor, start });
  }

  /** Whether a process of it may still run, although it is to be started again or is dead. */
  mayRun(actorId: string): boolean {
    return this.#fences.has(actorId);
  }

  stopWaiting(actorId: string): void {
    this.#waiting.delete(actorId);
  }

  /** Whose process the actor waits for: its own, or that of a dead actor that had its name. */
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
