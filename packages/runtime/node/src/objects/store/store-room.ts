/**
 * Responsibility: the room of a store in memory: who gets it, and which objects are evicted or spilled for it.
 * Not responsible for: how an object leaves memory (object-residence.ts).
 *
 * Invariants:
 * - STOREROOM-1. Objects in memory, bytes announced by open writers, and files kept for reuse together never exceed
 *   `maxBytes` (STORE-2).
 * - STOREROOM-2. If objects can be spilled, requests that do not fit at once are served one after the other, in
 *   order. They wait while objects are spilled, written or read, but at most `patienceMs` without any progress.
 * - STOREROOM-4. Room that is taken ahead of need is at most a part of the store, evicts and spills nothing, and ends as soon as
 *   others need it, or after `aheadMs`.
 * - STOREROOM-3. Copies are evicted before objects with leases are spilled. A refused request has evicted and spilled
 *   nothing, unless the disk failed.
 */
import { type Clock, Waiters } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { objectStoreFull } from "../../base/store-full.js";
import type { ObjectTable, TableEntry } from "../object-table.js";
import type { ObjectFiles } from "./object-files.js";
import type { ObjectSegments } from "./object-segments.js";
import type { SpillFiles } from "./spill-files.js";

const patienceMs = 30_000;
const maxWaiting = 10_000;
const maxAheadPart = 1 / 16;
const aheadMs = 10_000;

export interface StoreRoomDeps {
  readonly maxBytes: number;
  readonly table: ObjectTable;
  readonly files: ObjectFiles;
  readonly segments: ObjectSegments;
  /** The spilled copies; undefined if nothing can be spilled. */
  readonly spill: SpillFiles | undefined;
  readonly clock: Clock;
  /** Spills the object. @throws {PalimpsestError} OBJECT_STORE_FULL if the disk cannot take it */
  readonly spillOut: (entry: TableEntry) => Promise<void>;
}

export class StoreRoom {
  readonly #deps: StoreRoomDeps;
  #reservedBytes = 0;
  /** What ends each room that was taken ahead of need (STOREROOM-4). */
  readonly #ahead = new Set<() => void>();
  #aheadBytes = 0;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #changes: Waiters;
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StoreRoomDeps) {
    this.#deps = deps;
    this.#changes = new Waiters(deps.clock);
  }

  /** Counts the bytes as announced until giveBack(). @throws {PalimpsestError} OBJECT_STORE_FULL, LIMIT_EXCEEDED */
  async take(sizeBytes: number): Promise<void> {
    if (this.#waiting === 0 && this.#takeAtOnce(sizeBytes)) return;
    if (this.#deps.spill === undefined) throw this.#full(sizeBytes);
    if (this.#waiting >= maxWaiting)
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${maxWaiting} values wait for room in the object store of this node: retry later, or raise objectStoreBytes`,
      );
    this.#waiting++;
    const sinceMs = this.#deps.clock.monotonicMs();
    const turn = this.#inTurn(() => this.#clear(sizeBytes, sinceMs));
    await turn.finally(() => {
      this.#waiting--;
    });
  }

  /** Takes optional room as take() does, but resolves to false if it would have to wait for others. */
  async takeIfIdle(sizeBytes: number): Promise<boolean> {
    if (this.#waiting > 0) return false;
    if (this.#takeAtOnce(sizeBytes)) return true;
    this.#waiting++;
    const turn = this.#inTurn(() => this.#clear(sizeBytes));
    try {
      await turn;
      return true;
    } catch {
      return false;
    } finally {
      this.#waiting--;
    }
  }

  get maxAheadBytes(): number {
    return Math.floor(this.#deps.maxBytes * maxAheadPart);
  }

  hasRoomAhead(sizeBytes: number): boolean {
    return this.#waiting === 0 && this.#aheadBytes + sizeBytes <= this.maxAheadBytes;
  }

  /**
   * Takes room for a value that there may never be (STOREROOM-4).
   * @param revoke is called when others need it: the file must be discarded
   * @returns a function that gives it back; undefined if there is no such room
   */
  takeAhead(sizeBytes: number, revoke: () => void): (() => void) | undefined {
    if (!this.hasRoomAhead(sizeBytes)) return undefined;
    this.#deps.segments.shrink(this.#missingBytes(sizeBytes));
    if (this.#missingBytes(sizeBytes) > 0) return undefined;
    this.#aheadBytes += sizeBytes;
    const end = () => {
      giveBack();
      revoke();
    };
    const giveBack = () => {
      if (!this.#ahead.delete(end)) return;
      cancel();
      this.#aheadBytes -= sizeBytes;
      this.changed();
    };
    const cancel = this.#deps.clock.after(aheadMs, end);
    this.#ahead.add(end);
    return giveBack;
  }

  /** Ends everything that was taken ahead of need. */
  endAhead(): void {
    for (const end of this.#ahead) end();
  }

  giveBack(sizeBytes: number): void {
    this.#reservedBytes -= sizeBytes;
    this.changed();
  }

  /** Signals that something left memory, or may leave it now. */
  changed(): void {
    this.#changedAtMs = this.#deps.clock.monotonicMs();
    this.#changes.wakeAll();
  }

  /** Resolves when bytes that no longer count are off the disk. Only then may others be written (STORE-2). */
  async settled(): Promise<void> {
    await Promise.all([this.#deps.files.settled(), this.#deps.segments.settled()]);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #missingBytes(sizeBytes: number): number {
    const { table, segments, maxBytes } = this.#deps;
    const takenBytes = this.#reservedBytes + this.#aheadBytes;
    return table.residentBytes + segments.bytes + takenBytes + sizeBytes - maxBytes;
  }

  #takeAtOnce(sizeBytes: number): boolean {
    const { table, segments } = this.#deps;
    // Files kept for reuse are removed first.
    segments.shrink(this.#missingBytes(sizeBytes));
    for (const end of this.#ahead) {
      if (this.#missingBytes(sizeBytes) <= 0) break;
      end();
    }
    const missingBytes = this.#missingBytes(sizeBytes);
    const evicted = missingBytes > 0 ? this.#evictable(missingBytes) : { entries: [], bytes: 0 };
    if (evicted.bytes < missingBytes) return false;
    for (const entry of evicted.entries) table.remove(entry, "evicted");
    segments.shrink(this.#missingBytes(sizeBytes));
    this.#reservedBytes += sizeBytes;
    return true;
  }

  /** Returns copies that are not being read, the least recently used first (STORE-5). */
  #evictable(missingBytes: number): { readonly entries: readonly TableEntry[]; readonly bytes: number } {
    const now = this.#deps.clock.monotonicMs();
    const entries: TableEntry[] = [];
    let bytes = 0;
    for (const entry of this.#deps.table.copies()) {
      if (bytes >= missingBytes) break;
      if (entry.readers > 0 || entry.leasedUntilMs > now) continue;
      entries.push(entry);
      bytes += entry.sizeBytes;
    }
    return { entries, bytes };
  }

  /** @param sinceMs when the request was made; undefined if it does not wait for others (STOREROOM-2) */
  async #clear(sizeBytes: number, sinceMs?: number): Promise<void> {
    while (!this.#takeAtOnce(sizeBytes)) {
      const missingBytes = this.#missingBytes(sizeBytes) - this.#evictable(Number.POSITIVE_INFINITY).bytes;
      const victims = this.#spillable(missingBytes);
      if (victims !== undefined) await this.#spill(victims);
      else {
        const mayWait = sinceMs !== undefined && this.#mayBecomeSpillable(sizeBytes, missingBytes);
        if (!mayWait || !(await this.#nextChange(sinceMs))) throw this.#full(sizeBytes);
      }
    }
  }

  /** Waits for all of them, so that the next request does not choose one that is still being written. */
  async #spill(victims: readonly TableEntry[]): Promise<void> {
    const ends = await Promise.allSettled(victims.map((entry) => this.#deps.spillOut(entry)));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Returns objects with leases that free this many bytes together, the least recently used first; undefined if there
   * are not enough.
   */
  #spillable(missingBytes: number): readonly TableEntry[] | undefined {
    const { table, clock } = this.#deps;
    const now = clock.monotonicMs();
    const victims: TableEntry[] = [];
    const leased: TableEntry[] = [];
    let bytes = 0;
    const add = (entry: TableEntry) => {
      victims.push(entry);
      bytes += entry.sizeBytes;
    };
    for (const entry of table.kept()) {
      if (bytes >= missingBytes) break;
      if (entry.readers > 0) continue;
      if (entry.leasedUntilMs > now) leased.push(entry);
      else add(entry);
    }
    // An object that is leased to a reader may be open by now, and if not, the reader looks it up again.
    for (const entry of leased) {
      if (bytes >= missingBytes) break;
      add(entry);
    }
    return bytes >= missingBytes && this.#roomOnDisk(victims) ? victims : undefined;
  }

  /** Makes room on disk for them, by removing copies of objects that are also in memory. */
  #roomOnDisk(victims: readonly TableEntry[]): boolean {
    const { spill, table } = this.#deps;
    if (spill === undefined) return false;
    const written = victims.filter(({ objectId }) => !spill.has(objectId));
    const neededBytes = written.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const kept = new Set(victims.map(({ objectId }) => objectId));
    for (const objectId of spill.objectIds()) {
      if (spill.bytes + neededBytes <= spill.maxBytes) return true;
      if (!kept.has(objectId) && table.find(objectId)?.isResident) spill.drop(objectId);
    }
    return spill.bytes + neededBytes <= spill.maxBytes;
  }

  /**
   * Returns whether the bytes that are being written and read now will be enough once they are sealed and closed, and
   * the disk has room for them.
   */
  #mayBecomeSpillable(sizeBytes: number, missingBytes: number): boolean {
    const { spill, table, maxBytes } = this.#deps;
    if (spill === undefined || sizeBytes > maxBytes) return false;
    const isBusy = this.#reservedBytes > 0 || table.hasReaders;
    return isBusy && spill.bytes + missingBytes <= spill.maxBytes;
  }

  /** Resolves to false if nothing changed for patienceMs, while others waited before this request, too. */
  #nextChange(sinceMs: number): Promise<boolean> {
    const { clock } = this.#deps;
    const leftMs = Math.max(sinceMs, this.#changedAtMs) + patienceMs - clock.monotonicMs();
    if (leftMs <= 0) return Promise.resolve(false);
    return this.#changes.wait(leftMs);
  }

  #full(sizeBytes: number): PalimpsestError {
    const { maxBytes, table, spill } = this.#deps;
    return objectStoreFull({
      sizeBytes,
      maxBytes,
      storedBytes: table.residentBytes,
      copyBytes: table.copyBytes,
      reservedBytes: this.#reservedBytes,
      bytesByHolder: table.bytesByHolder(),
      spilledBytes: spill?.bytes,
      maxSpillBytes: spill?.maxBytes,
    });
  }
}
