/**
 * Responsibility: which requests wait for resources, and whose they are, for a client that keeps leased task workers
 * and could give some back.
 * Not responsible for: placing anything (placement.ts).
 *
 * Invariants:
 * - DEMAND-1. Requests that no node could ever satisfy do not count, nor do the client's own, unless it has workers to
 *   spare: then its own requests are for something else, such as an actor.
 * - DEMAND-2. A request for the same shape as the client keeps counts at once; one that only shares a resource with
 *   it counts after `starvedMs`, or at once for a client with workers to spare. A busy client must not starve others, nor give up much for a request that may fit
 *   elsewhere in a moment.
 * - DEMAND-3. A request that a quota or scope blocks counts only for workers that count against that limit. Of other
 *   requests those count whose turn would come before that of what the client keeps, or that have its fairness key.
 */
import { type Ledger, noClaim, type PlacementRequest, place, wholeGpus } from "@palimpsest/scheduler";
import { type Clock, delay, Waiters } from "@palimpsest/std";
import type { Node } from "../tables/node.js";

const starvedMs = 1_000;
/**
 * The milliseconds after which a request counts as demand. A placement takes a turn of the event loop, so a request
 * that finds room at once must not count.
 */
const placementMs = 5;

interface Waiting {
  readonly ownerId: string;
  readonly sinceMs: number;
}

interface Shape {
  /** The name of what is asked for, whatever the claim. */
  readonly what: string;
  readonly request: PlacementRequest;
  /** The requests by key, the oldest first. */
  readonly waiting: Map<string, Waiting>;
}

export interface DemandDeps {
  readonly nodes: { all(): readonly Node[] };
  readonly clock: Clock;
  readonly ledger?: Ledger;
}

export class Demand {
  readonly #deps: DemandDeps;
  readonly #shapes = new Map<string, Shape>();
  readonly #shapeOf = new Map<string, string>();
  readonly #askers: Waiters;

  constructor(deps: DemandDeps) {
    this.#deps = deps;
    this.#askers = new Waiters(deps.clock);
  }

  add(key: string, ownerId: string, request: PlacementRequest): void {
    this.delete(key);
    const what = nameOf(request);
    const name = what + JSON.stringify(request.claim ?? noClaim);
    const shape = this.#shapes.get(name) ?? { what, request, waiting: new Map<string, Waiting>() };
    this.#shapes.set(name, shape);
    this.#shapeOf.set(key, name);
    shape.waiting.set(key, { ownerId, sinceMs: this.#deps.clock.monotonicMs() });
    this.#askers.wakeAll();
  }

  delete(key: string): void {
    const name = this.#shapeOf.get(key);
    if (name === undefined) return;
    this.#shapeOf.delete(key);
    const waiting = this.#shapes.get(name)?.waiting;
    waiting?.delete(key);
    if (waiting?.size === 0) this.#shapes.delete(name);
  }

  /**
   * Returns whether somebody waits for what this client keeps.
   * @param spare whether the client has workers without tasks
   */
  isFor(ownerId: string, kept: PlacementRequest, spare = false): boolean {
    const same = nameOf(kept);
    const nowMs = this.#deps.clock.monotonicMs();
    for (const { what, request, waiting } of this.#shapes.values()) {
      if (!this.#concerns(request, kept, what === same, spare)) continue;
      for (const { ownerId: owner, sinceMs } of waiting.values()) {
        if (owner === ownerId && !spare) continue;
        const counts = spare || what === same || nowMs - sinceMs >= starvedMs;
        if (counts && this.#isFeasible(request)) return true;
        break;
      }
    }
    return false;
  }

  /** Waits until isFor() holds, the time has passed or the signal is aborted. @returns whether isFor() holds */
  async until(
    ownerId: string,
    kept: PlacementRequest,
    waitMs: number,
    signal: AbortSignal,
    spare = false,
  ): Promise<boolean> {
    const { clock } = this.#deps;
    const endMs = clock.monotonicMs() + waitMs;
    for (;;) {
      await delay(placementMs, signal, clock);
      if (this.isFor(ownerId, kept, spare)) return true;
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs <= 0 || signal.aborted) return false;
      await this.#askers.wait(Math.min(leftMs, starvedMs), signal);
    }
  }

  /** DEMAND-3 */
  #concerns(
    { claim = noClaim, ...request }: PlacementRequest,
    { claim: keptClaim = noClaim, ...kept }: PlacementRequest,
    isSame: boolean,
    spare: boolean,
  ): boolean {
    const { ledger } = this.#deps;
    const limit = ledger?.blocking(claim, request.resources);
    if (limit !== undefined) return ledger?.countsFor(keptClaim, limit.name) ?? false;
    if (!isSame && !shares(request, kept)) return false;
    if (spare) return true;
    if (claim.priority !== keptClaim.priority) return claim.priority > keptClaim.priority;
    if (claim.fairnessKey === keptClaim.fairnessKey || ledger === undefined) return true;
    return ledger.shares.score(claim.fairnessKey) < ledger.shares.score(keptClaim.fairnessKey);
  }

  #isFeasible(request: PlacementRequest): boolean {
    const empty = this.#deps.nodes
      .all()
      .filter(({ state }) => state === "ALIVE")
      .map(({ nodeId, total, labels }) => ({
        ...{ nodeId, total, labels, available: total, leases: 0 },
        gpus: wholeGpus(total["gpu"] ?? 0),
      }));
    return place(empty, request) !== undefined;
  }
}

function nameOf({ resources, labels }: PlacementRequest): string {
  const sorted = (record: Readonly<Record<string, unknown>>) => Object.entries(record).sort();
  return JSON.stringify([sorted(resources).filter(([, amount]) => amount !== 0), sorted(labels)]);
}

function shares(a: PlacementRequest, b: PlacementRequest): boolean {
  return Object.entries(a.resources).some(([name, amount]) => amount > 0 && (b.resources[name] ?? 0) > 0);
}
