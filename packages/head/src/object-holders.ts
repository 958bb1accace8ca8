/**
 * Responsibility: tells nodes which holders of their objects live no more.
 * Not responsible for: which objects there are (object-directory.ts).
 *
 * A hold is a lease: a node names its holders when they are new, at each registration and from time to time, and every
 * time it is answered with those that have ended. So no word that is lost on the way keeps objects forever.
 *
 * Invariants:
 * - HOLDER-1. A node that names an ended holder is told so, each time.
 * - HOLDER-2. A holder that this head has never seen is ended only after graceMs in which the head was awake: it may have
 *   been restarted and know less than its nodes, and a driver that comes back is not heard while the head stands still.
 * - HOLDER-3. A holder that lives is never called ended.
 * - HOLDER-4. A holder that this head has never seen is forgotten after `unknownGraces` graces: a node that named it
 *   has been told meanwhile, and one that names it later still gives it the grace anew.
 */
import type { AwakeTime } from "./awake-time.js";
import type { NodeTable } from "./node-table.js";

/** "unknown": no session, actor, job or object that this head has seen. */
export type HolderState = "alive" | "ended" | "unknown";

/** A holder that is itself an object, whose value refers to what it holds: before its id. */
export const objectHolderPrefix = "object:";

const unknownGraces = 4;

export interface ObjectHoldersDeps {
  readonly nodes: NodeTable;
  readonly awake: AwakeTime;
  readonly stateOf: (holder: string) => HolderState;
  readonly graceMs: number;
}

export class ObjectHolders {
  readonly #deps: ObjectHoldersDeps;
  /** Nodes that named the holder. */
  readonly #nodesOf = new Map<string, Set<string>>();
  readonly #unknownSince = new Map<string, number>();

  constructor(deps: ObjectHoldersDeps) {
    this.#deps = deps;
    deps.nodes.onDead(({ nodeId }) => {
      for (const [holder, nodes] of this.#nodesOf) {
        nodes.delete(nodeId);
        if (nodes.size === 0) this.#forget(holder);
      }
    });
  }

  get size(): number {
    return this.#nodesOf.size;
  }

  /** A node names holders of its objects. */
  reported(nodeId: string, holders: readonly string[]): void {
    const ended: string[] = [];
    for (const holder of holders) {
      if (this.#hasEnded(holder)) {
        ended.push(holder);
        continue;
      }
      const nodes = this.#nodesOf.get(holder) ?? new Set();
      this.#nodesOf.set(holder, nodes);
      nodes.add(nodeId);
    }
    if (ended.length > 0) this.#deps.nodes.send(nodeId, { endedHolders: { holders: ended } });
  }

  /** Tells at once; who does not hear it now hears it when he names the holder again. */
  ended(holder: string): void {
    for (const nodeId of this.#nodesOf.get(holder) ?? [])
      this.#deps.nodes.send(nodeId, { endedHolders: { holders: [holder] } });
    this.#forget(holder);
  }

  #hasEnded(holder: string): boolean {
    const { awake, stateOf, graceMs } = this.#deps;
    const state = stateOf(holder);
    if (state !== "unknown") {
      this.#unknownSince.delete(holder);
      return state === "ended";
    }
    const now = awake.nowMs();
    const since = this.#unknownSince.get(holder);
    if (since === undefined) this.#rememberUnknown(holder, now);
    if (since === undefined || now - since < graceMs) return false;
    // The time stays: another node that names it is answered likewise.
    this.#nodesOf.delete(holder);
    return true;
  }

  /** HOLDER-4 */
  #rememberUnknown(holder: string, nowMs: number): void {
    for (const [oldest, sinceMs] of this.#unknownSince) {
      if (nowMs - sinceMs <= unknownGraces * this.#deps.graceMs) break;
      this.#unknownSince.delete(oldest);
    }
    this.#unknownSince.set(holder, nowMs);
  }

  #forget(holder: string): void {
    this.#nodesOf.delete(holder);
    this.#unknownSince.delete(holder);
  }
}
