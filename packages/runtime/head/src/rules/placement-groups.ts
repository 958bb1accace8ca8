/**
 * Responsibility: the states of placement groups: their bundles get nodes, lose them when a node dies, are placed
 * again, and are released.
 * Not responsible for: choosing the nodes (the scheduler package), or the actors inside (actor-lifecycle.ts, which
 * learns of a removal).
 *
 * The head's own accounting decides whether a bundle fits, without asking the node: nodes keep no account of free
 * resources, and only the head leases them. The first of the two phases is therefore one turn of the event loop, in
 * which all bundles are leased or none, and the second is the store's acknowledgment.
 *
 * Invariants:
 * - PGROUP-1. All missing bundles of a group get their nodes in one turn, or none does. A bundle is used, and its
 *   group is shown as CREATED, only when the store has its location.
 * - PGROUP-2. STRICT_PACK and STRICT_SPREAD hold at all times, also after bundles have been placed again.
 * - PGROUP-3. When a node dies, its bundles are placed again, and the others stay where they are.
 * - PGROUP-4. A removed group leases nothing except what processes that have not ended still use. Its actors are DEAD
 *   in the store before the group is gone from it, or in the same write.
 * - PGROUP-5. No group waits while there is room for all its missing bundles, except on nodes that are reserved for
 *   older requests, and for its quotas. Of those that wait the highest priority is tried first, then the smallest share.
 * - PGROUP-6. A group that is not detached ends with its owner and with its job.
 */
import {
  addQuantities,
  type BundlePlace,
  explainBundles,
  type GroupRequest,
  type Ledger,
  type Limit,
  type NodeView,
  type PlacementIndex,
  placeBundles,
} from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { NodeTable } from "../tables/node-table.js";
import {
  bundleLease,
  type GroupSpec,
  groupRequestOf,
  type PlacementGroup,
} from "../tables/placement-group.js";
import type { PlacementGroupTable } from "../tables/placement-group-table.js";
import { BundleQueue } from "./bundle-queue.js";
import type { Claims } from "./claims.js";
import type { Demand } from "./demand.js";
import { WaitingGroups } from "./waiting-groups.js";

/** The milliseconds for which a pass over the pending groups may block the event loop, in addition to one placement. */
const sliceMs = 8;

export interface PlacementGroupsDeps {
  readonly groups: PlacementGroupTable;
  readonly nodes: NodeTable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The nodes that are reserved for older requests. */
  readonly reservations: Pick<PlacementIndex, "isReserved">;
  /** Makes clients return workers, to make room for pending bundles. */
  readonly demand: Demand;
  readonly ledger: Ledger;
  readonly claims: Claims;
}

export class PlacementGroups {
  readonly #deps: PlacementGroupsDeps;
  /** Nodes that can be used. */
  readonly #views = new Map<string, NodeView>();
  readonly #waiting: WaitingGroups;
  /** Groups as the store has them, which is what may be used of them (PGROUP-1). */
  readonly #usable = new Map<string, PlacementGroup>();
  readonly #queues = new Map<string, BundleQueue>();
  #endActors: (groupId: string, reason: string) => void = () => undefined;
  #scheduled = false;

  constructor(deps: PlacementGroupsDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingGroups(deps.demand);
    deps.nodes.onChange((nodeId, view) => this.#nodeChanged(nodeId, view));
    deps.nodes.onDead(({ nodeId }) => this.#nodeDied(nodeId));
  }

  /** Registers the function that ends the actors of a removed group. */
  onRemoved(endActors: (groupId: string, reason: string) => void): void {
    this.#endActors = endActors;
  }

  /** Takes over the groups of an earlier head, once the tables are loaded. */
  recover(): void {
    const { groups, nodes } = this.#deps;
    for (const group of [...groups.all()]) {
      const { spec, places } = group;
      const kept = places.map((place) => {
        const node = place && nodes.get(place.nodeId);
        return node === undefined || node.state === "DEAD" ? undefined : place;
      });
      for (const [index, place] of kept.entries())
        if (place !== undefined)
          nodes.reserveBundle(
            place.nodeId,
            bundleLease(spec.groupId, index),
            spec.bundles[index] ?? {},
            place.gpuIds,
          );
      this.#usableNow(group);
      this.#changed(spec.groupId, kept);
    }
  }

  /**
   * Tries pending groups again, because a node may no longer be reserved for others. It must be called about once per
   * second.
   */
  tick(): void {
    this.#schedule();
  }

  /**
   * Creates a group. The call is idempotent by group id: a known group is returned unchanged. Resolves once the store
   * has it.
   * @throws {PalimpsestError} ALREADY_EXISTS
   */
  async create(spec: GroupSpec): Promise<PlacementGroup> {
    const { groups } = this.#deps;
    const { groupId } = spec;
    if (groups.get(groupId) === undefined) {
      const asked = { spec, places: [] };
      const plan = this.#limit(asked) ? undefined : this.#plan(groupRequestOf(asked));
      // A group that is placed at once is written once.
      const places = plan && spec.bundles.flatMap((_, index) => plan.get(index) ?? []);
      const { group, durable } = groups.create(spec, places);
      if (plan === undefined) this.#waiting.add(group, this.#deps.claims.ofGroup(group.spec));
      else this.#lease(group, plan);
      await durable;
      if (plan !== undefined) this.#usableNow(group);
    } else await groups.durable(groupId);
    return this.known(groupId);
  }

  /** Returns the group as readers may see it. @throws {PalimpsestError} NOT_FOUND */
  known(groupId: string): PlacementGroup {
    const group = this.#deps.groups.get(groupId);
    if (group === undefined)
      throw new PalimpsestError("NOT_FOUND", `placement group ${groupId} is not known: create it first`);
    if (group.state !== "CREATED" || this.#usable.get(groupId) === group) return group;
    return { ...group, state: this.#usable.has(groupId) ? "RESCHEDULING" : "PENDING" };
  }

  /** Ends the group's actors and releases its bundles. @throws {PalimpsestError} NOT_FOUND */
  async remove(groupId: string, reason: string): Promise<PlacementGroup> {
    const { groups, nodes, logger } = this.#deps;
    const { state, places } = this.known(groupId);
    if (state !== "REMOVED") {
      this.#waiting.delete(groupId);
      // PGROUP-4: the actors' rows are written before the group's.
      this.#endActors(groupId, reason);
      this.#queues.delete(groupId);
      this.#usable.delete(groupId);
      const nowhere = places.map(() => undefined);
      const durable = groups.update(groupId, { state: "REMOVED", places: nowhere, removedBecause: reason });
      for (const [index, place] of places.entries())
        if (place !== undefined) nodes.release(place.nodeId, bundleLease(groupId, index));
      logger.info({ groupId, reason }, "placement group removed");
      await durable;
    } else await groups.durable(groupId);
    return this.known(groupId);
  }

  /** Makes another session or actor the owner of an owner's groups. */
  give(from: string, owner: Pick<GroupSpec, "ownerId" | "ownerIncarnation">): void {
    const { groups } = this.#deps;
    for (const before of groups.ownedBy(from)) {
      const { groupId } = before.spec;
      const stored = groups.give(groupId, owner);
      const given = groups.get(groupId);
      if (given?.state !== "CREATED") continue;
      // The store has the location of the bundles already, or will have it with this row (PGROUP-1).
      if (this.#usable.get(groupId) === before) this.#usable.set(groupId, given);
      else void stored.then(() => this.#usableNow(given));
    }
  }

  /** Removes the groups of a session or actor that is gone. */
  ownerEnded(ownerId: string, reason: string): void {
    this.#endAll(this.#deps.groups.ownedBy(ownerId), reason);
  }

  jobEnded(jobId: string): void {
    this.#endAll(this.#deps.groups.ofJob(jobId), `its job ${jobId} ended`);
  }

  /** Removes all groups because the cluster shuts down; the next head must not restore any. */
  async endAll(reason: string): Promise<void> {
    const all = [...this.#deps.groups.all()];
    await Promise.all(all.map(({ spec }) => this.remove(spec.groupId, reason)));
  }

  /** Waits until all bundles have nodes or the group is removed, at most until the signal is aborted. */
  async settled(groupId: string, signal: AbortSignal): Promise<PlacementGroup> {
    for (;;) {
      const group = this.known(groupId);
      if (group.state === "CREATED" || group.state === "REMOVED" || signal.aborted) return group;
      await this.#deps.groups.nextChange(groupId, signal);
    }
  }

  /**
   * Returns why its bundles are pending, or why it was removed; empty when neither is the case. Every node is examined.
   */
  reason(group: PlacementGroup): string {
    if (group.state === "REMOVED") return group.removedBecause;
    if (!this.#waiting.has(group.spec.groupId)) return "";
    const limit = this.#limit(group);
    if (limit !== undefined) return limit.reason;
    return explainBundles(this.#views.values(), groupRequestOf(group));
  }

  /** Returns the missing bundles of the pending groups that no quota blocks. */
  waitingRequests(): readonly GroupRequest[] {
    return this.#waiting.requests((group) => this.#limit(group) === undefined);
  }

  /** Returns the nodes of the group's bundles, by index; undefined when the group is gone. */
  nodesOf(groupId: string): readonly (string | undefined)[] | undefined {
    const group = this.#deps.groups.get(groupId);
    if (group === undefined || group.state === "REMOVED") return undefined;
    return group.places.map((place) => place?.nodeId);
  }

  /** Returns the queue of requests for room in its bundles; undefined when the group is gone. */
  queueOf(groupId: string): BundleQueue | undefined {
    const { groups, nodes, clock, ledger } = this.#deps;
    const state = groups.get(groupId)?.state;
    if (state === undefined || state === "REMOVED") return undefined;
    const known = this.#queues.get(groupId);
    if (known !== undefined) return known;
    const queue = new BundleQueue(groupId, nodes, clock, ledger);
    const usable = this.#usable.get(groupId);
    if (usable !== undefined) queue.update(usable.places);
    this.#queues.set(groupId, queue);
    return queue;
  }

  unqueue(groupId: string, key: string): void {
    this.#queues.get(groupId)?.remove(key);
  }

  /** Returns why an actor of the group is pending; empty when it is not. */
  actorReason(groupId: string, key: string): string {
    const group = this.#deps.groups.get(groupId);
    const reason = this.#queues.get(groupId)?.reason(key) ?? "";
    if (group === undefined || reason === "") return reason;
    const groupReason = this.reason(group);
    return groupReason === "" ? reason : `its placement group ${groupId} waits: ${groupReason}`;
  }

  #endAll(groups: readonly PlacementGroup[], reason: string): void {
    for (const { spec } of groups) if (!spec.detached) void this.remove(spec.groupId, reason);
  }

  #nodeChanged(nodeId: string, view: NodeView | undefined): void {
    const before = this.#views.get(nodeId);
    if (view === undefined) this.#views.delete(nodeId);
    else this.#views.set(nodeId, view);
    for (const { spec } of this.#deps.groups.onNode(nodeId))
      this.#queues.get(spec.groupId)?.nodeChanged(nodeId);
    const grew = view !== undefined && (before === undefined || view.leases <= before.leases);
    if (grew) this.#schedule();
  }

  /** PGROUP-3 */
  #nodeDied(nodeId: string): void {
    for (const { spec, places } of this.#deps.groups.onNode(nodeId)) {
      const kept = places.map((place) => (place?.nodeId === nodeId ? undefined : place));
      this.#changed(spec.groupId, kept);
    }
  }

  /** Keeps the remaining bundles of a group, and makes the missing ones pending. */
  #changed(groupId: string, places: PlacementGroup["places"]): void {
    const { groups, logger } = this.#deps;
    const group = groups.get(groupId);
    if (group === undefined) return;
    const missing = places.filter((place) => place === undefined).length;
    const lost = group.places.some((place, index) => place !== undefined && places[index] === undefined);
    if (lost) {
      void groups.update(groupId, { state: "RESCHEDULING", places });
      logger.warn({ groupId, missing }, "bundles of a placement group are placed again");
    }
    const usable = this.#usable.get(groupId);
    if (usable !== undefined) this.#usableNow(usable);
    if (missing === 0) return;
    this.#waiting.add(groups.get(groupId) ?? group, this.#deps.claims.ofGroup(group.spec));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#pass(this.#inTurn()));
  }

  /** PGROUP-5 */
  #inTurn(): readonly string[] {
    const { groups, claims, ledger } = this.#deps;
    const turns = this.#waiting.ids.map((groupId) => {
      const { priority, fairnessKey } = claims.ofGroup(
        groups.get(groupId)?.spec ?? { jobId: "", namespace: "" },
      );
      return { groupId, priority, score: ledger.shares.score(fairnessKey) };
    });
    return turns.sort((a, b) => b.priority - a.priority || a.score - b.score).map(({ groupId }) => groupId);
  }

  /** Returns the quota that keeps the group's missing bundles waiting. */
  #limit({ spec, places }: Pick<PlacementGroup, "spec" | "places">): Limit | undefined {
    const claim = this.#deps.claims.ofGroup(spec);
    if (claim.quotas.length === 0) return undefined;
    const missing = spec.bundles.filter((_, index) => places[index] === undefined);
    return this.#deps.ledger.blocking(claim, missing.reduce(addQuantities, {}));
  }

  /** Tries each pending group once, in turns of at most sliceMs. */
  #pass(groupIds: readonly string[]): void {
    const { clock, groups } = this.#deps;
    const endMs = clock.monotonicMs() + sliceMs;
    /** If a request found no room in this turn, equal requests will not either. */
    const failed = new Set<string>();
    for (const [at, groupId] of groupIds.entries()) {
      const group = this.#waiting.has(groupId) ? groups.get(groupId) : undefined;
      if (group === undefined || this.#limit(group) !== undefined) continue;
      const { bundles, strategy, labels, labelConditions } = group.spec;
      const shape = JSON.stringify([strategy, bundles, labels, labelConditions, group.places]);
      if (!failed.has(shape) && !this.#place(groupId)) failed.add(shape);
      if (clock.monotonicMs() < endMs) continue;
      clock.after(0, () => this.#pass(groupIds.slice(at + 1)));
      return;
    }
    this.#scheduled = false;
  }

  /** Leases all missing bundles of a pending group, which can be used when the store has it, or none (PGROUP-1). */
  #place(groupId: string): boolean {
    const { groups } = this.#deps;
    const group = groups.get(groupId);
    if (group === undefined) return false;
    const plan = this.#plan(groupRequestOf(group));
    if (plan === undefined) return false;
    this.#waiting.delete(groupId);
    const places = group.places.map((place, index) => place ?? plan.get(index));
    const durable = groups.update(groupId, { state: "CREATED", places });
    const placed = groups.get(groupId);
    this.#lease(group, plan);
    void durable.then(() => placed && this.#usableNow(placed));
    return true;
  }

  /** Returns nodes for all missing bundles, by index; undefined when there is no room for all of them. */
  #plan(request: GroupRequest): ReadonlyMap<number, BundlePlace> | undefined {
    const { reservations } = this.#deps;
    return placeBundles(
      [...this.#views.values()].filter(({ nodeId }) => !reservations.isReserved(nodeId)),
      request,
    );
  }

  #lease({ spec }: PlacementGroup, plan: ReadonlyMap<number, BundlePlace>): void {
    for (const [index, { nodeId, gpuIds }] of plan)
      this.#deps.nodes.reserveBundle(
        nodeId,
        bundleLease(spec.groupId, index),
        spec.bundles[index] ?? {},
        gpuIds,
      );
  }

  /**
   * Handles the store's acknowledgment: the bundles of that state can be used as far as they are still the current
   * ones (PGROUP-1).
   */
  #usableNow(stored: PlacementGroup): void {
    const { groupId } = stored.spec;
    const now = this.#deps.groups.get(groupId);
    if (now === undefined || now.state === "REMOVED") return;
    const places = stored.places.map((place, index) => (now.places[index] === place ? place : undefined));
    this.#usable.set(groupId, now === stored ? stored : { ...stored, places });
    this.#queues.get(groupId)?.update(places);
    this.#deps.groups.wake(groupId);
  }
}
