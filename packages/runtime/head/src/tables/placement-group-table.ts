/**
 * Responsibility: every placement group that the head knows, by id, by name and by owner.
 * Not responsible for: where and when bundles are placed (placement-groups.ts).
 *
 * Invariants:
 * - GROUPTABLE-1. A name belongs to at most one group that has not been removed.
 * - GROUPTABLE-2. REMOVED is final. A removed group leaves the store; the reason is remembered for a while.
 * - GROUPTABLE-3. Each change reaches the journal in the order in which it was made.
 */
import type { BundlePlace } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { Journal } from "../store/journal.js";
import { IdIndex } from "./id-index.js";
import {
  decodeGroup,
  encodeGroup,
  type GroupSpec,
  type GroupState,
  type PlacementGroup,
} from "./placement-group.js";

/** The maximum number of removed groups that are remembered. */
const maxRemoved = 1_000;

export interface PlacementGroupTableDeps {
  readonly journal: Journal;
  readonly clock: Clock;
}

export class PlacementGroupTable {
  readonly #deps: PlacementGroupTableDeps;
  readonly #groups = new Map<string, PlacementGroup>();
  readonly #removed = new Map<string, PlacementGroup>();
  readonly #ids = new Map<string, string>();
  readonly #owned = new IdIndex();
  readonly #ofJob = new IdIndex();
  /** Ids of groups by the nodes of their bundles. */
  readonly #onNode = new IdIndex();
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(deps: PlacementGroupTableDeps) {
    this.#deps = deps;
  }

  load(rows: ReadonlyMap<string, Uint8Array>): void {
    const groups = [...rows.values()].map(decodeGroup);
    groups.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.spec.groupId < b.spec.groupId ? -1 : 1));
    for (const group of groups) this.#enter(group, undefined);
  }

  /** Yields every group's row in the store. */
  *rows(): Generator<readonly [string, Uint8Array]> {
    for (const [groupId, group] of this.#groups) yield [groupId, encodeGroup(group)];
  }

  /**
   * Adds a group. `durable` resolves when the store has it.
   * @param places the nodes of its bundles; undefined while they have none
   * @throws {PalimpsestError} ALREADY_EXISTS
   */
  create(
    spec: GroupSpec,
    places: readonly BundlePlace[] | undefined,
  ): { readonly group: PlacementGroup; readonly durable: Promise<void> } {
    const holder = spec.name === "" ? undefined : this.#ids.get(spec.name);
    if (holder !== undefined)
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `name ${spec.name} belongs to placement group ${holder}: take another one or remove that group first`,
        { details: { groupId: holder } },
      );
    const group: PlacementGroup = {
      spec,
      state: places === undefined ? "PENDING" : "CREATED",
      places: places ?? spec.bundles.map(() => undefined),
      removedBecause: "",
      createdAtMs: this.#deps.clock.now(),
    };
    return { group, durable: this.#change(group, undefined) };
  }

  update(groupId: string, patch: Partial<Omit<PlacementGroup, "spec">>): Promise<void> {
    const before = this.#groups.get(groupId);
    if (before === undefined) return Promise.resolve();
    return this.#change({ ...before, ...patch }, before);
  }

  /** Makes another session or actor the owner. */
  give(groupId: string, owner: Pick<GroupSpec, "ownerId" | "ownerIncarnation">): Promise<void> {
    const before = this.#groups.get(groupId);
    if (before === undefined) return Promise.resolve();
    this.#owned.delete(before.spec.ownerId, groupId);
    return this.#change({ ...before, spec: { ...before.spec, ...owner } }, before);
  }

  /** Resolves when the store holds the group's present state. */
  durable(groupId: string): Promise<void> {
    const group = this.#groups.get(groupId);
    return this.#deps.journal.put("groups", groupId, group && encodeGroup(group));
  }

  /** Returns the group, including one that was removed recently. */
  get(groupId: string): PlacementGroup | undefined {
    return this.#groups.get(groupId) ?? this.#removed.get(groupId);
  }

  byName(name: string): PlacementGroup | undefined {
    return this.#groups.get(this.#ids.get(name) ?? "");
  }

  /** Returns the groups that have not been removed, in the order of their creation. */
  all(): Iterable<PlacementGroup> {
    return this.#groups.values();
  }

  ownedBy(ownerId: string): PlacementGroup[] {
    return this.#groupsOf(this.#owned, ownerId);
  }

  ofJob(jobId: string): PlacementGroup[] {
    return this.#groupsOf(this.#ofJob, jobId);
  }

  /** Returns the groups with a bundle on the node. */
  onNode(nodeId: string): PlacementGroup[] {
    return this.#groupsOf(this.#onNode, nodeId);
  }

  count(state: GroupState): number {
    let count = 0;
    for (const group of this.#groups.values()) if (group.state === state) count += 1;
    return count;
  }

  /** Resolves at the next change of the group, or when the signal is aborted. */
  nextChange(groupId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(groupId) ?? new Set();
      const done = () => {
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(groupId);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiters.set(groupId, waiters.add(done));
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /** Wakes waiters because something about the group has changed, such as its durability, but not its row. */
  wake(groupId: string): void {
    for (const wake of [...(this.#waiters.get(groupId) ?? [])]) wake();
  }

  #groupsOf(index: IdIndex, key: string): PlacementGroup[] {
    return index.of(key).flatMap((groupId) => this.#groups.get(groupId) ?? []);
  }

  #change(group: PlacementGroup, before: PlacementGroup | undefined): Promise<void> {
    const { groupId } = group.spec;
    this.#enter(group, before);
    const row = group.state === "REMOVED" ? undefined : encodeGroup(group);
    const durable = this.#deps.journal.put("groups", groupId, row);
    this.wake(groupId);
    return durable;
  }

  #enter(group: PlacementGroup, before: PlacementGroup | undefined): void {
    const { groupId, name, ownerId, jobId } = group.spec;
    for (const place of before?.places ?? []) if (place) this.#onNode.delete(place.nodeId, groupId);
    if (group.state === "REMOVED") {
      this.#groups.delete(groupId);
      this.#owned.delete(ownerId, groupId);
      this.#ofJob.delete(jobId, groupId);
      if (this.#ids.get(name) === groupId) this.#ids.delete(name);
      this.#removed.set(groupId, group);
      for (const oldest of this.#removed.keys()) {
        if (this.#removed.size <= maxRemoved) return;
        this.#removed.delete(oldest);
      }
      return;
    }
    this.#groups.set(groupId, group);
    for (const place of group.places) if (place) this.#onNode.add(place.nodeId, groupId);
    this.#owned.add(ownerId, groupId);
    if (jobId !== "") this.#ofJob.add(jobId, groupId);
    if (name !== "") this.#ids.set(name, groupId);
  }
}
