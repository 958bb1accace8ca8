/**
 * Responsibility: the room of a store in memory: who gets it, and which objects are evicted or spilled for it.
 * Not responsible for: how an object leaves memory (object-residence.ts).
 *
 * Invariants:
 * - STOREROOM-1. Objects in memory, bytes announced by open writers, and files that are kept for reuse or are still read or
 *   mapped together never exceed `maxBytes` (STORE-2).
 * - STOREROOM-2. Requests that do not fit at once are served one after the other, in order. If objects can be spilled,
 *   they wait while objects are spilled, written or read, but at most `patienceMs` without bytes that became free.
 * - STOREROOM-6. Requests that wait for programs to unmap files let all others pass that can be served meanwhile, and are
 *   refused after `patienceMs`, whatever became free for others.
 * - STOREROOM-4. Room that is taken ahead of need is at most a part of the store, evicts and spills nothing, and ends as soon as
 *   others need it, or after `aheadMs`, unless its value is being sealed by then.
 * - STOREROOM-3. Copies are evicted before objects with leases are spilled. A refused request has evicted and spilled
 *   nothing, unless the disk failed, or of very many copies some were read before their turn to be evicted.
 * - STOREROOM-5. An object whose file a program had mapped when it was probed, at most seconds ago, is neither evicted nor
 *   spilled, because its pages would stay. It counts as used just now.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, delay, inLanes, Waiters, whenAborted } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { objectStoreFull } from "../../base/store-full.js";
import type { ObjectTable, TableEntry } from "../object-table.js";
import { MappedObjects } from "./mapped-objects.js";
import type { ObjectFiles } from "./object-files.js";
import type { ObjectSegments } from "./object-segments.js";
import type { SpillFiles } from "./spill-files.js";

const patienceMs = 30_000;
/** How soon, and later how often, it is seen whether programs have unmapped files, because nobody tells. */
const leastPauseMs = 100;
const mostPauseMs = 2_000;
/** How often programs are asked at most to unmap what they no longer use. */
const askMs = 1_000;
const maxWaiting = 10_000;
/** How many objects are evicted in one turn of the event loop, each in about 20 µs. */
const evictedPerTurn = 250;
/** How many files are spilled at a time: each is open, and takes a buffer of up to 4 MiB. */
const spillLanes = 8;
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
  /** Asks programs to unmap what they no longer use. */
  readonly askToUnmap: () => void;
  /** Told why a request waits, but not of each one that does. */
  readonly onWait: (why: string) => void;
  /** Spills the object. @throws {PalimpsestError} OBJECT_STORE_FULL if the disk cannot take it */
  readonly spillOut: (entry: TableEntry) => Promise<void>;
}

/** Room that was taken ahead of need and not revoked. */
export interface AheadRoom {
  /** Returns false if it was revoked, or kept. */
  giveBack(): boolean;
  /** Makes it room as take() gives it, for a value that there is now. */
  keep(): void;
}

/** How a request that was made at that time waits for others. */
interface Patience {
  readonly sinceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that waits for programs to unmap files. */
interface Parked {
  readonly sizeBytes: number;
  /** Serves or refuses it. Returns false if it has ended already. */
  end(reason?: PalimpsestError): boolean;
}

/** Objects that can leave memory, and the bytes of those that could if no program had mapped them. */
interface Removable {
  readonly entries: readonly TableEntry[];
  readonly bytes: number;
  readonly mappedBytes: number;
}

export class StoreRoom {
  readonly #deps: StoreRoomDeps;
  #reservedBytes = 0;
  /** What ends each room that was taken ahead of need (STOREROOM-4). */
  readonly #ahead = new Set<() => void>();
  #aheadBytes = 0;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #mapped: MappedObjects;
  /** Requests that wait for programs to unmap files, in order (STOREROOM-6). */
  readonly #parked = new Set<Parked>();
  #isRetrying = false;
  readonly #changes: Waiters;
  #freedAtMs = Number.NEGATIVE_INFINITY;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: StoreRoomDeps) {
    this.#deps = deps;
    this.#changes = new Waiters(deps.clock);
    this.#mapped = new MappedObjects(deps.files, deps.clock);
  }

  /**
   * Counts the bytes as announced until giveBack().
   * @param signal ends the wait for room
   * @throws {PalimpsestError} OBJECT_STORE_FULL, LIMIT_EXCEEDED, CANCELLED
   */
  async take(sizeBytes: number, signal?: AbortSignal): Promise<void> {
    if (this.takeNow(sizeBytes)) return;
    if (this.#waiting >= maxWaiting)
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${maxWaiting} values wait for room in the object store of this node: retry later, or raise objectStoreBytes`,
      );
    this.#waiting++;
    const sinceMs = this.#deps.clock.monotonicMs();
    try {
      const isServed = await this.#inTurn(() => this.#clear(sizeBytes, { sinceMs, signal }));
      if (!isServed) await this.#park(sizeBytes, signal);
    } finally {
      this.#waiting--;
    }
  }

  /** Takes room as take() does, if nobody waits for it and it is there at once. */
  takeNow(sizeBytes: number): boolean {
    return this.isFree && this.#takeAtOnce(sizeBytes);
  }

  /** Whether nobody waits who must not be passed (STOREROOM-6). */
  get isFree(): boolean {
    return this.#waiting === this.#parked.size;
  }

  /** Counts bytes of a file that counted elsewhere until now, as take() does. */
  takeOver(sizeBytes: number): void {
    this.#reservedBytes += sizeBytes;
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
   * @returns undefined if there is no such room
   */
  takeAhead(sizeBytes: number, revoke: () => void): AheadRoom | undefined {
    if (!this.hasRoomAhead(sizeBytes)) return undefined;
    this.#deps.segments.shrink(this.#missingBytes(sizeBytes));
    if (this.#missingBytes(sizeBytes) > 0) return undefined;
    this.#aheadBytes += sizeBytes;
    const end = () => {
      giveBack();
      revoke();
    };
    const giveBack = () => {
      if (!this.#ahead.delete(end)) return false;
      cancel();
      this.#aheadBytes -= sizeBytes;
      this.freed();
      return true;
    };
    const keep = () => {
      if (giveBack()) this.#reservedBytes += sizeBytes;
    };
    const cancel = this.#deps.clock.after(aheadMs, end);
    this.#ahead.add(end);
    return { giveBack, keep };
  }

  /** Ends everything that was taken ahead of need. */
  endAhead(): void {
    for (const end of this.#ahead) end();
  }

  giveBack(sizeBytes: number): void {
    this.#reservedBytes -= sizeBytes;
    this.freed();
  }

  /** Signals that bytes became free, or can be spilled now. */
  freed(): void {
    this.#freedAtMs = this.#deps.clock.monotonicMs();
    this.changed();
  }

  /** Signals that a reader has ended, so that the object may leave memory. Others may read it without end. */
  changed(): void {
    this.#changes.wakeAll();
  }

  /**
   * Resolves when bytes that no longer count are off the disk. Only then may others be written (STORE-2), unless there is
   * room beside them: of an owner that ended a hundred thousand files may be on their way.
   */
  async settled(): Promise<void> {
    const { files, segments } = this.#deps;
    if (this.#missingBytes(files.leavingBytes + segments.leavingBytes) <= 0) return;
    await Promise.all([files.settled(), segments.settled()]);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** STOREROOM-6 */
  #park(sizeBytes: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const parked = {
        sizeBytes,
        end: (reason?: PalimpsestError) => {
          if (!this.#parked.delete(parked)) return false;
          cancel();
          unwatch?.();
          if (reason === undefined) resolve();
          else reject(reason);
          return true;
        },
      };
      this.#parked.add(parked);
      const cancel = this.#deps.clock.after(patienceMs, () => parked.end(this.#full(sizeBytes)));
      const leave = () => parked.end(cancelled());
      const unwatch = signal && whenAborted(signal, leave);
      if (signal?.aborted) leave();
      if (!this.#isRetrying) void this.#retry();
    });
  }

  async #retry(): Promise<void> {
    const { clock } = this.#deps;
    this.#isRetrying = true;
    for (let pauseMs = leastPauseMs; this.#parked.size > 0; pauseMs = Math.min(2 * pauseMs, mostPauseMs)) {
      this.#askToUnmap();
      const beganMs = clock.monotonicMs();
      const isWoken = await this.#changes.wait(pauseMs);
      const leftMs = beganMs + leastPauseMs - clock.monotonicMs();
      if (isWoken && leftMs > 0) await delay(leftMs, undefined, clock);
      await this.#inTurn(() => this.#serveParked());
    }
    this.#isRetrying = false;
  }

  async #serveParked(): Promise<void> {
    let refusedBytes = Number.POSITIVE_INFINITY;
    for (const parked of [...this.#parked]) {
      const { sizeBytes } = parked;
      if (sizeBytes >= refusedBytes || !this.#parked.has(parked)) continue;
      try {
        if (!(await this.#clear(sizeBytes, "parked"))) refusedBytes = sizeBytes;
        else if (!parked.end()) this.giveBack(sizeBytes);
      } catch (reason) {
        parked.end(PalimpsestError.from(reason));
      }
    }
  }

  #missingBytes(sizeBytes: number): number {
    const { table, segments, maxBytes } = this.#deps;
    const takenBytes = this.#reservedBytes + this.#aheadBytes;
    return table.residentBytes + segments.bytes + takenBytes + sizeBytes - maxBytes;
  }

  #takeAtOnce(sizeBytes: number): boolean {
    const { table, segments } = this.#deps;
    // Files kept for reuse are removed first.
    if (!segments.shrink(this.#missingBytes(sizeBytes))) return false;
    for (const end of this.#ahead) {
      if (this.#missingBytes(sizeBytes) <= 0) break;
      end();
    }
    const missingBytes = this.#missingBytes(sizeBytes);
    // Files are not probed in vain.
    if (missingBytes > 0 && table.copyBytes < missingBytes) return false;
    const evicted = this.#evictable(missingBytes);
    if (evicted.bytes < missingBytes || evicted.entries.length > evictedPerTurn) return false;
    for (const entry of evicted.entries) table.remove(entry, "evicted");
    segments.shrink(this.#missingBytes(sizeBytes));
    // The files of what was evicted are there until they are renamed.
    if (this.#missingBytes(sizeBytes) > 0) return false;
    this.#reservedBytes += sizeBytes;
    return true;
  }

  /** Evicts the first of very many copies that are enough together. Returns false if there are none. */
  #evictSome(sizeBytes: number): boolean {
    const missingBytes = this.#missingBytes(sizeBytes);
    const { bytes, entries } = this.#evictable(missingBytes);
    if (bytes < missingBytes || entries.length <= evictedPerTurn) return false;
    for (const entry of entries.slice(0, evictedPerTurn)) this.#deps.table.remove(entry, "evicted");
    return true;
  }

  /** Returns copies that are not being read, the least recently used first (STORE-5). */
  #evictable(missingBytes: number): Removable {
    const now = this.#deps.clock.monotonicMs();
    const isIdle = ({ readers, leasedUntilMs }: TableEntry) => readers === 0 && leasedUntilMs <= now;
    return this.#removable(this.#deps.table.copies(), missingBytes, isIdle);
  }

  /** Returns the first objects that free this many bytes together, as far as nobody has them mapped (STOREROOM-5). */
  #removable(
    objects: Iterable<TableEntry>,
    missingBytes: number,
    isIdle: (entry: TableEntry) => boolean,
  ): Removable {
    const { table } = this.#deps;
    const entries: TableEntry[] = [];
    const mapped: TableEntry[] = [];
    let bytes = 0;
    let mappedBytes = 0;
    for (const entry of objects) {
      if (bytes >= missingBytes) break;
      if (!isIdle(entry)) continue;
      const isMapped = this.#mapped.isMapped(entry);
      if (isMapped !== false) {
        // What is not known counts as mapped, but not as used.
        if (isMapped) mapped.push(entry);
        mappedBytes += entry.sizeBytes;
        continue;
      }
      entries.push(entry);
      bytes += entry.sizeBytes;
    }
    for (const entry of mapped) table.use(entry);
    return { entries, bytes, mappedBytes };
  }

  /**
   * Makes room and takes it.
   * @param patience undefined if the request does not wait for others (STOREROOM-2), "parked" if it does so elsewhere
   * @returns false if it waits for programs to unmap files
   */
  async #clear(sizeBytes: number, patience?: Patience | "parked"): Promise<boolean> {
    const { table, segments } = this.#deps;
    const waits = patience === "parked" ? undefined : patience;
    // Not more than once, because new files may come as fast as they are probed.
    let areProbed = false;
    let areKeptProbed = false;
    for (;;) {
      if (waits?.signal?.aborted) throw cancelled();
      if (this.#takeAtOnce(sizeBytes)) return true;
      if (await segments.renamed()) continue;
      if (!segments.shrink(this.#missingBytes(sizeBytes)) || this.#evictSome(sizeBytes)) {
        await nextTurn();
        continue;
      }
      if (!areProbed) {
        areProbed = true;
        if (await this.#mapped.probe(table.copies())) continue;
      }
      const copies = this.#evictable(Number.POSITIVE_INFINITY);
      const missingBytes = this.#missingBytes(sizeBytes) - copies.bytes;
      const kept = this.#spillable(missingBytes);
      // What is left of the freed files is in use.
      const inUseBytes = segments.bytes + copies.mappedBytes;
      if (inUseBytes > 0) this.#askToUnmap();
      if (kept.bytes >= missingBytes && this.#roomOnDisk(kept.entries)) await this.#spill(kept.entries);
      else if (kept.mappedBytes > 0 && !areKeptProbed) {
        areKeptProbed = true;
        await this.#mapped.probe(table.kept());
      } else {
        const isMapped = inUseBytes + kept.mappedBytes > 0;
        const mayFit = this.#mayFit(sizeBytes, missingBytes - inUseBytes, isMapped);
        if (patience === undefined || !mayFit) throw this.#full(sizeBytes);
        this.#tellWait(sizeBytes);
        if (isMapped || waits === undefined) return false;
        if (!(await this.#nextChange(waits)))
          throw waits.signal?.aborted ? cancelled() : this.#full(sizeBytes);
      }
    }
  }

  /** Waits for all of them, so that the next request does not choose one that is still being written. */
  async #spill(victims: readonly TableEntry[]): Promise<void> {
    await inLanes(victims, { lanes: spillLanes }, (entry) => this.#deps.spillOut(entry));
  }

  /** Returns objects with leases that are not being read, the least recently used first. */
  #spillable(missingBytes: number): Removable {
    const { table, clock } = this.#deps;
    const now = clock.monotonicMs();
    const isLeased = ({ leasedUntilMs }: TableEntry) => leasedUntilMs > now;
    const idle = this.#removable(
      table.kept(),
      missingBytes,
      (entry) => entry.readers === 0 && !isLeased(entry),
    );
    // An object that is leased to a reader may be open by now, and if not, the reader looks it up again.
    const leased = this.#removable(
      table.kept(),
      missingBytes - idle.bytes,
      (entry) => entry.readers === 0 && isLeased(entry),
    );
    return {
      entries: [...idle.entries, ...leased.entries],
      bytes: idle.bytes + leased.bytes,
      mappedBytes: idle.mappedBytes + leased.mappedBytes,
    };
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
   * Returns whether the bytes that are being written, read and mapped now will be enough once they are sealed, closed and
   * unmapped.
   * @param missingBytes what is to be spilled then, for which the disk must have room
   */
  #mayFit(sizeBytes: number, missingBytes: number, isMapped: boolean): boolean {
    const { spill, table, maxBytes } = this.#deps;
    if (sizeBytes > maxBytes) return false;
    if (missingBytes <= 0) return true;
    const isBusy = isMapped || this.#reservedBytes > 0 || table.hasReaders;
    return isBusy && spill !== undefined && spill.bytes + missingBytes <= spill.maxBytes;
  }

  /** Resolves to false if nothing became free for patienceMs, while others waited before this request, too. */
  async #nextChange({ sinceMs, signal }: Patience): Promise<boolean> {
    const { clock } = this.#deps;
    const leftMs = Math.max(sinceMs, this.#freedAtMs) + patienceMs - clock.monotonicMs();
    return leftMs > 0 && (await this.#changes.wait(leftMs, signal));
  }

  #askToUnmap(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#askedAtMs < askMs) return;
    this.#askedAtMs = nowMs;
    this.#deps.askToUnmap();
  }

  #tellWait(sizeBytes: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#toldAtMs < patienceMs) return;
    this.#toldAtMs = nowMs;
    this.#deps.onWait(`a value waits for room: ${this.#full(sizeBytes).rawMessage}`);
  }

  #full(sizeBytes: number): PalimpsestError {
    const { maxBytes, table, segments, spill } = this.#deps;
    return objectStoreFull({
      sizeBytes,
      maxBytes,
      storedBytes: table.residentBytes,
      copyBytes: table.copyBytes,
      reservedBytes: this.#reservedBytes,
      bytesByHolder: table.bytesByHolder(),
      inUseBytes: segments.bytes,
      mappedBytes: this.#mapped.bytesOf(table.entries()),
      spilledBytes: spill?.bytes,
      maxSpillBytes: spill?.maxBytes,
    });
  }
}

function cancelled(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the program that waited for room in the object store has ended");
}
