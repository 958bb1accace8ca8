/**
 * Responsibility: telling nodes which owners of leases on their objects have ended.
 * Not responsible for: which objects there are (object-directory.ts).
 *
 * A node reports its lease owners when they are new, at each registration, and periodically. Each report is answered
 * with the owners that have ended, so that a lost message never keeps objects forever.
 *
 * Invariants:
 * - HOLDER-1. Each time a node reports an owner that has ended, it is told so.
 * - HOLDER-2. An owner that this head has never seen counts as ended only after graceMs in which the head was awake: a
 *   restarted head may know less than its nodes, and a head that stands still cannot hear a driver that comes back.
 * - HOLDER-3. A living owner is never reported as ended.
 * - HOLDER-4. An owner that this head has never seen is forgotten after `unknownGraces` grace periods. A node that
 *   reported it has been told by then, and one that reports it later waits the grace period again.
 */
import { formatHolder, type Holder, parseHolder } from "@palimpsest/wire";
import type { AwakeTime } from "./awake-time.js";
import type { NodeTable } from "./node-table.js";

/** The state of an owner. "unknown" means that this head has seen no such session, actor, job or object. */
export type HolderState = "alive" | "ended" | "unknown";

const unknownGraces = 4;

export interface ObjectHoldersDeps {
  readonly nodes: NodeTable;
  readonly awake: AwakeTime;
  readonly stateOf: (holder: Holder) => HolderState;
  readonly graceMs: number;
}

export class ObjectHolders {
  readonly #deps: ObjectHoldersDeps;
  /** Nodes that reported the owner. */
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

  /** Handles a node's report of lease owners. */
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

  /** Tells the nodes at once. A node without a link learns it at its next report. */
  ended(owner: Holder): void {
    const holder = formatHolder(owner);
    for (const nodeId of this.#nodesOf.get(holder) ?? [])
      this.#deps.nodes.send(nodeId, { endedHolders: { holders: [holder] } });
    this.#forget(holder);
  }

  #hasEnded(holder: string): boolean {
    const { awake, stateOf, graceMs } = this.#deps;
    const state = stateOf(parseHolder(holder));
    if (state !== "unknown") {
      this.#unknownSince.delete(holder);
      return state === "ended";
    }
    const now = awake.nowMs();
    const since = this.#unknownSince.get(holder);
    if (since === undefined) this.#rememberUnknown(holder, now);
    if (since === undefined || now - since < graceMs) return false;
    // The time of the first report stays, so that another node that reports this owner gets the same answer.
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
