/**
 * Responsibility: which objects a store has, who has leases on each, and which objects without leases were least
 * recently used.
 * Not responsible for: bytes and their room (object-store.ts).
 *
 * The store's invariants STORE-3 and STORE-6 are kept here.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError, parseHolder } from "@palimpsest/wire";
import type { DropCause, DropOrder, StoredObject, StoredPlace, StoreWatcher } from "./store/stored-object.js";

export interface TableEntry extends StoredObject {
  /** The owners of its leases, with the revision of each lease. */
  readonly holders: Map<string, number>;
  revision: number;
  /** The owner that stored it; empty for a copy. */
  readonly ownerId: string;
  /** The owner for whose quotas it counts; empty for none. */
  chargedTo: string;
  readonly storedAtMs: number;
  readers: number;
  leasedUntilMs: number;
  /** Whether its bytes are in the store; otherwise they have been spilled. */
  isResident: boolean;
}

/** How many objects of an owner that has ended are freed in one turn of the event loop, each in about 20 µs. */
const freedPerTurn = 500;

/** Counts bytes for an owner's quotas; a negative number ends that. */
export type ChargeBytes = (holder: string, bytes: number) => void;

export class ObjectTable {
  readonly #charge: ChargeBytes;
  readonly #discard: (entry: TableEntry) => void;
  readonly #objects = new Map<string, TableEntry>();
  /** Objects without a lease, the least recently used first. */
  readonly #copies = new Map<string, TableEntry>();
  /** Objects in memory with a lease, the least recently used first. */
  readonly #kept = new Map<string, TableEntry>();
  readonly #held = new Map<string, Set<TableEntry>>();
  readonly #watchers = new Set<StoreWatcher>();
  readonly #clock: Clock;
  #storedBytes = 0;
  #residentBytes = 0;
  #copyBytes = 0;
  /**
   * The last revision. It begins with the time, so that a restarted node with the same id is not behind its former
   * revisions.
   */
  #revisions: number;

  /** @param discard removes the bytes of an object that is no longer in the table */
  constructor(clock: Clock, discard: (entry: TableEntry) => void, charge: ChargeBytes = () => undefined) {
    this.#charge = charge;
    this.#clock = clock;
    this.#revisions = clock.now();
    this.#discard = discard;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The number of bytes in the store and spilled. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  get residentBytes(): number {
    return this.#residentBytes;
  }

  /** Whether any object is being read. */
  get hasReaders(): boolean {
    for (const { readers } of this.#objects.values()) if (readers > 0) return true;
    return false;
  }

  get copyBytes(): number {
    return this.#copyBytes;
  }

  /** Returns objects without a lease, the least recently used first. */
  copies(): Iterable<TableEntry> {
    return this.#copies.values();
  }

  /** Returns objects in memory with a lease, the least recently used first: those that can be spilled. */
  kept(): Iterable<TableEntry> {
    return this.#kept.values();
  }

  watch(watcher: StoreWatcher): void {
    this.#watchers.add(watcher);
  }

  *places(): Generator<StoredPlace> {
    for (const entry of this.#objects.values()) yield placeOf(entry);
  }

  entries(): Iterable<TableEntry> {
    return this.#objects.values();
  }

  holders(): string[] {
    return [...this.#held.keys()];
  }

  heldBy(holder: string): string[] {
    return [...(this.#held.get(holder) ?? [])].map(({ objectId }) => objectId);
  }

  bytesByHolder(): ReadonlyMap<string, number> {
    const bytesByHolder = new Map<string, number>();
    for (const [holder, entries] of this.#held) {
      let bytes = 0;
      for (const entry of entries) bytes += entry.sizeBytes;
      bytesByHolder.set(holder, bytes);
    }
    return bytesByHolder;
  }

  find(objectId: string): TableEntry | undefined {
    return this.#objects.get(objectId);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  get(objectId: string): TableEntry {
    const found = this.#objects.get(objectId);
    if (found) return found;
    throw new PalimpsestError("NOT_FOUND", `object ${objectId} is not on this node`, {
      details: { objectId },
    });
  }

  /** @param holder owner of the lease; empty for a copy */
  enter(object: StoredObject, holder: string): TableEntry {
    const entry: TableEntry = {
      ...object,
      holders: new Map(),
      revision: ++this.#revisions,
      ownerId: holder,
      chargedTo: "",
      storedAtMs: this.#clock.now(),
      readers: 0,
      leasedUntilMs: 0,
      isResident: true,
    };
    this.#objects.set(entry.objectId, entry);
    this.#storedBytes += entry.sizeBytes;
    this.#residentBytes += entry.sizeBytes;
    if (holder !== "") this.hold(entry, holder);
    else {
      this.#copies.set(entry.objectId, entry);
      this.#copyBytes += entry.sizeBytes;
      for (const watcher of this.#watchers) watcher.present(placeOf(entry));
    }
    return entry;
  }

  /** Records that it was used just now. */
  use(entry: TableEntry): void {
    for (const order of [this.#copies, this.#kept])
      if (order.delete(entry.objectId)) order.set(entry.objectId, entry);
  }

  /** Records that its bytes came into the store or left it. */
  reside(entry: TableEntry, isResident: boolean): void {
    if (entry.isResident === isResident) return;
    entry.isResident = isResident;
    this.#residentBytes += isResident ? entry.sizeBytes : -entry.sizeBytes;
    if (!isResident) this.#kept.delete(entry.objectId);
    else if (entry.holders.size > 0) this.#kept.set(entry.objectId, entry);
    for (const watcher of this.#watchers) watcher.present(placeOf(entry));
  }

  hold(entry: TableEntry, holder: string): void {
    entry.revision = ++this.#revisions;
    this.#noCopy(entry);
    if (entry.isResident) this.#kept.set(entry.objectId, entry);
    entry.holders.set(holder, entry.revision);
    this.#assign(entry);
    let objects = this.#held.get(holder);
    if (objects === undefined) {
      objects = new Set();
      this.#held.set(holder, objects);
      for (const watcher of this.#watchers) watcher.newHolder(holder);
    }
    objects.add(entry);
    for (const watcher of this.#watchers) watcher.present(placeOf(entry));
  }

  /** Carries out an order. Returns false if there was nothing to do. */
  drop({ objectId, holder, revision, copiesOnly = false }: DropOrder): boolean {
    const entry = this.#objects.get(objectId);
    if (entry === undefined) return false;
    const meant = holder === "" ? entry.revision : entry.holders.get(holder);
    if (meant === undefined || (revision !== undefined && meant > revision)) return false;
    if (copiesOnly && entry.holders.size > 0) return false;
    if (holder === "") this.remove(entry, "freed");
    else this.#letGo(entry, holder, "freed");
    return true;
  }

  /** Handles the end of an owner: frees the objects that have no other lease, a part of many in each turn. */
  release(holder: string): void {
    const entries = [...(this.#held.get(holder) ?? [])];
    const lastRevision = this.#revisions;
    const freePart = () => {
      for (const entry of entries.splice(0, freedPerTurn)) {
        const revision = entry.holders.get(holder);
        // It may have been freed or leased again meanwhile.
        const isMeant = revision !== undefined && revision <= lastRevision;
        if (isMeant && this.#objects.get(entry.objectId) === entry)
          this.#letGo(entry, holder, "holder ended");
      }
      if (entries.length > 0) setImmediate(freePart);
    };
    freePart();
  }

  #noCopy({ objectId, sizeBytes }: TableEntry): void {
    if (this.#copies.delete(objectId)) this.#copyBytes -= sizeBytes;
  }

  #letGo(entry: TableEntry, holder: string, cause: DropCause): void {
    this.#forgetHold(entry, holder);
    if (entry.holders.size === 0) {
      this.remove(entry, cause);
      return;
    }
    this.#assign(entry);
    for (const watcher of this.#watchers) watcher.present(placeOf(entry));
  }

  #forgetHold(entry: TableEntry, holder: string): void {
    entry.holders.delete(holder);
    const objects = this.#held.get(holder);
    objects?.delete(entry);
    if (objects?.size === 0) this.#held.delete(holder);
  }

  /**
   * Makes it count for the first program among its owners. Where only values refer to it any more, it still counts for
   * the last one, which would otherwise be rid of it.
   */
  #assign(entry: TableEntry): void {
    if (entry.chargedTo !== "" && entry.holders.has(entry.chargedTo)) return;
    for (const holder of entry.holders.keys()) {
      if (parseHolder(holder).kind === "object") continue;
      this.#chargeTo(entry, holder);
      return;
    }
  }

  #chargeTo(entry: TableEntry, holder: string): void {
    const before = entry.chargedTo;
    entry.chargedTo = holder;
    if (holder !== "") this.#charge(holder, entry.sizeBytes);
    if (before !== "") this.#charge(before, -entry.sizeBytes);
  }

  remove(entry: TableEntry, cause: DropCause): void {
    for (const holder of [...entry.holders.keys()]) this.#forgetHold(entry, holder);
    this.#objects.delete(entry.objectId);
    this.#noCopy(entry);
    this.#kept.delete(entry.objectId);
    this.#storedBytes -= entry.sizeBytes;
    if (entry.isResident) this.#residentBytes -= entry.sizeBytes;
    this.#chargeTo(entry, "");
    this.#discard(entry);
    for (const watcher of this.#watchers) watcher.gone(entry.objectId, cause);
  }

  clear(): void {
    this.#watchers.clear();
    this.#objects.clear();
    this.#copies.clear();
    this.#kept.clear();
    this.#held.clear();
    this.#storedBytes = 0;
    this.#residentBytes = 0;
    this.#copyBytes = 0;
  }
}

function placeOf({ objectId, sizeBytes, holders, revision, isResident }: TableEntry): StoredPlace {
  return { objectId, sizeBytes, held: holders.size > 0, revision, spilled: !isResident };
}
