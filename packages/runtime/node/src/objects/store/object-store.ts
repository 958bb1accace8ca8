/**
 * Responsibility: immutable objects of this node as files named by the SHA-256 of their bytes: which of them have
 * leases, and which may be evicted.
 * Not responsible for: the network (objects-service.ts, object-fetch.ts), or which owners are alive (the head knows).
 *
 * Invariants:
 * - STORE-1. A file gets its name only when all of its bytes are there and hash to the name. For a value, whose name
 *   is random, the number of bytes must be the announced one.
 * - STORE-2. Bytes in the store, bytes announced by open writers, and bytes of files that are kept for reuse or are still
 *   read or mapped together never exceed `maxBytes` (store-room.ts); spilled bytes have their own limit (spill-files.ts).
 * - STORE-3. An object with a lease is never evicted. It is freed when the last owner ends or releases it; readers
 *   that have it open still read it to the end. When room is needed it is spilled, and is restored when it is read.
 * - STORE-4. An object that is stored twice is kept once.
 * - STORE-5. A copy, which has no lease owner, is evicted when room is needed, the least recently used first, but not
 *   while it is being read or is leased to a reader.
 * - STORE-7. A value that its program withdrew, because it got no answer when storing it, is not kept if it arrives
 *   later.
 * - STORE-8. A small value that its owner released while it waited for room is not kept for that owner.
 * - STORE-6. A lease that was taken after an order to drop was given is not ended by that order (revisions).
 */
import { type Clock, systemClock } from "@palimpsest/std";
import { WithdrawnValues } from "../../base/withdrawn-values.js";
import type { ObjectAssembly } from "../object-assembly.js";
import { ObjectQuotas } from "../object-quotas.js";
import { ObjectResidence, type OnMovedBytes } from "../object-residence.js";
import { ObjectTable, type TableEntry } from "../object-table.js";
import type { ObjectWriter } from "../object-writer.js";
import { FileHashes } from "./file-hashes.js";
import { memoryDisk, type ObjectDisk, type OpenedObject, systemDisk } from "./object-disk.js";
import { ObjectFiles } from "./object-files.js";
import { ObjectSegments } from "./object-segments.js";
import type { SharedWrite } from "./shared-write.js";
import { SpillFiles } from "./spill-files.js";
import { StoreRoom } from "./store-room.js";
import { StoreWrites } from "./store-writes.js";
import type { DropOrder, StoredObject, StoredPlace, StoreWatcher } from "./stored-object.js";

export interface ObjectStoreOptions {
  /** A folder that only this store uses. It is emptied on open and removed on close. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock?: Clock;
  /** Default: the system's disk. */
  readonly disk?: ObjectDisk;
  /** Whether the folder is in memory. Default false. */
  readonly inMemory?: boolean;
  /**
   * Where objects with leases are spilled when room is needed: a folder that only this store uses and that is emptied
   * too. If it is absent, nothing is spilled.
   */
  readonly spill?: { readonly folder: string; readonly maxBytes: number } | undefined;
  /** Called for each object that was spilled or restored. */
  readonly onMoved?: OnMovedBytes;
  /** Told now and then why a value waits for room. */
  readonly onWait?: ((why: string) => void) | undefined;
}

export class ObjectStore {
  readonly maxBytes: number;
  /** Whose objects count against which quotas. */
  readonly quotas: ObjectQuotas;
  readonly #clock: Clock;
  readonly #files: ObjectFiles;
  readonly #table: ObjectTable;
  readonly #segments: ObjectSegments;
  /** The bytes of small values, because a file for each would cost more than its content. */
  readonly #small = new Map<string, Uint8Array>();
  readonly #spill: SpillFiles | undefined;
  readonly #residence: ObjectResidence;
  readonly #room: StoreRoom;
  readonly #writes: StoreWrites;
  readonly #hashes = new FileHashes();
  readonly #withdrawn = new WithdrawnValues();
  readonly #unmapping = new Set<() => void>();
  /** Small values that wait for room, and whether their owner has released them since. */
  readonly #coming = new Map<string, Set<{ readonly holder: string; isReleased: boolean }>>();

  private constructor(files: ObjectFiles, spill: SpillFiles | undefined, options: ObjectStoreOptions) {
    this.#files = files;
    this.#spill = spill;
    this.maxBytes = options.maxBytes;
    this.#clock = options.clock ?? systemClock;
    this.#segments = new ObjectSegments(files, this.#clock);
    this.quotas = new ObjectQuotas(this.#clock, () => this.#room.endAhead());
    this.#table = new ObjectTable(
      this.#clock,
      (entry) => this.#discard(entry),
      (holder, bytes) => this.quotas.charge(holder, bytes),
    );
    const shared = { files, spill, table: this.#table, segments: this.#segments };
    this.#residence = new ObjectResidence({
      ...{ ...shared, small: this.#small, room: () => this.#room },
      onMoved: options.onMoved ?? (() => undefined),
    });
    this.#room = new StoreRoom({
      ...{ ...shared, maxBytes: options.maxBytes, clock: this.#clock },
      onWait: options.onWait ?? (() => undefined),
      askToUnmap: () => {
        for (const ask of this.#unmapping) ask();
      },
      spillOut: (entry) => this.#residence.spillOut(entry),
    });
    this.#writes = new StoreWrites({
      ...{ ...shared, room: this.#room },
      ...{ hashes: this.#hashes, withdrawn: this.#withdrawn, quotas: this.quotas },
    });
  }

  static async open(options: ObjectStoreOptions): Promise<ObjectStore> {
    const disk = options.disk ?? systemDisk;
    const inMemory = options.disk === undefined && options.inMemory;
    const files = await ObjectFiles.open(options.folder, inMemory ? memoryDisk : disk);
    const spill = options.spill && (await SpillFiles.open({ ...options.spill, disk }));
    return new ObjectStore(files, spill, options);
  }

  get folder(): string {
    return this.#files.folder;
  }

  /** Whether programs on this machine may map its files. */
  get isMappable(): boolean {
    return this.#files.isMappable;
  }

  get size(): number {
    return this.#table.size;
  }

  /** The number of bytes in the store and spilled. */
  get storedBytes(): number {
    return this.#table.storedBytes;
  }

  /** The number of bytes in the store. */
  get residentBytes(): number {
    return this.#table.residentBytes;
  }

  /**
   * The number of bytes on disk: of spilled objects, and of restored ones whose copies are kept so that they can be
   * spilled again at once.
   */
  get spilledBytes(): number {
    return this.#spill?.bytes ?? 0;
  }

  /** The number of bytes of copies, which can be evicted. */
  get copyBytes(): number {
    return this.#table.copyBytes;
  }

  /**
   * Registers what asks a program to unmap files that it no longer uses, when a value waits for their room.
   * @returns ends that
   */
  onUnmap(ask: () => void): () => void {
    this.#unmapping.add(ask);
    return () => void this.#unmapping.delete(ask);
  }

  watch(watcher: StoreWatcher): void {
    this.#table.watch(watcher);
  }

  places(): Iterable<StoredPlace> {
    return this.#table.places();
  }

  /** Returns all objects with the owners of their leases. */
  entries(): Iterable<TableEntry> {
    return this.#table.entries();
  }

  holders(): string[] {
    return this.#table.holders();
  }

  find(objectId: string): StoredObject | undefined {
    return this.#table.find(objectId);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  get(objectId: string): StoredObject {
    return this.#table.get(objectId);
  }

  /**
   * Restores the object to the store if possible, and returns the file to read.
   * @throws {PalimpsestError} NOT_FOUND, OBJECT_LOST
   */
  async located(objectId: string): Promise<StoredObject> {
    const entry = this.#table.get(objectId);
    this.#table.use(entry);
    return entry.isResident ? entry : await this.#residence.located(entry);
  }

  /**
   * Opens the object for a reader, and keeps it in the store until done() (STORE-5). @throws {PalimpsestError}
   * NOT_FOUND
   */
  read(objectId: string): {
    readonly object: StoredObject;
    /** @throws {PalimpsestError} NOT_FOUND if it was freed in the meantime, OBJECT_LOST */
    open(): Promise<OpenedObject>;
    done(): void;
  } {
    const entry = this.#table.get(objectId);
    entry.readers++;
    this.#table.use(entry);
    let done = false;
    return {
      object: entry,
      open: () => this.#residence.opened(entry),
      done: () => {
        if (done) return;
        done = true;
        entry.readers--;
        this.#room.changed();
      },
    };
  }

  /** Keeps a copy for a reader that will open its file. */
  lease(objectId: string, leaseMs: number): void {
    const entry = this.#table.find(objectId);
    if (entry === undefined) return;
    entry.leasedUntilMs = Math.max(entry.leasedUntilMs, this.#clock.monotonicMs() + leaseMs);
    this.#table.use(entry);
  }

  /** Returns whether it has a lease here, and is no mere copy. */
  isHeld(objectId: string): boolean {
    return (this.#table.find(objectId)?.holders.size ?? 0) > 0;
  }

  /** Returns the objects on this node that the owner has leases on. */
  heldBy(holder: string): string[] {
    return this.#table.heldBy(holder);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  hold(objectId: string, holder: string): void {
    this.#table.hold(this.#table.get(objectId), holder);
  }

  /**
   * @param holder owner of the lease; empty for a copy
   * @param valueId empty if the object is named by its hash
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  create(sizeBytes: number, holder: string, valueId = ""): Promise<ObjectWriter> {
    return this.#writes.create(sizeBytes, holder, valueId);
  }

  /** Withdraws a value that will not be referred to, even if it arrives later (STORE-7). */
  withdraw(valueId: string): void {
    this.#withdrawn.add(valueId);
  }

  /**
   * Stores a small value in memory.
   * @param signal ends the wait for room
   * @throws {PalimpsestError} OBJECT_STORE_FULL, CANCELLED
   */
  async keepSmall(valueId: string, bytes: Uint8Array, holder: string, signal?: AbortSignal): Promise<void> {
    const sizeBytes = bytes.byteLength;
    const isNew = this.#table.find(valueId) === undefined;
    const isReleased = isNew && (await this.#comes(valueId, sizeBytes, holder, signal));
    const known = this.#table.find(valueId);
    if (isReleased || this.#withdrawn.has(valueId)) {
      // STORE-7, STORE-8
    } else if (known !== undefined) this.#table.hold(known, holder);
    else {
      // The bytes are copied, because they are a view of a whole message.
      this.#small.set(valueId, Uint8Array.from(bytes));
      this.#table.enter({ objectId: valueId, sizeBytes, path: "" }, holder);
    }
    if (!isNew) return;
    this.#room.giveBack(sizeBytes);
    if (holder !== "") this.quotas.giveBack(holder, sizeBytes);
  }

  /** Must be called when an owner releases a value, which may still wait to be stored (STORE-8). */
  released(valueId: string, holder: string): void {
    for (const coming of this.#coming.get(valueId) ?? [])
      if (coming.holder === holder) coming.isReleased = true;
  }

  /** Returns the bytes of a value that keepSmall() stored and that was not spilled. */
  smallBytes(objectId: string): Uint8Array | undefined {
    return this.#small.get(objectId);
  }

  /**
   * Reserves room for an object that a program on this machine writes itself.
   * @param valueId empty if the object is named by its hash when it is sealed
   * @param signal ends the wait for room
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT, CANCELLED
   */
  reserve(sizeBytes: number, holder: string, valueId: string, signal?: AbortSignal): Promise<SharedWrite> {
    return this.#writes.reserve(sizeBytes, holder, valueId, signal);
  }

  /**
   * Does the same for a value that there may never be, if nobody else needs the room (STOREROOM-4).
   * @returns undefined otherwise
   */
  reserveAhead(sizeBytes: number, holder: string, valueId: string): Promise<SharedWrite | undefined> {
    return this.#writes.reserveAhead(sizeBytes, holder, valueId);
  }

  /** The number of bytes that programs may reserve ahead of need, all of them together. */
  get maxAheadBytes(): number {
    return this.#room.maxAheadBytes;
  }

  /**
   * Reserves room for a copy of an object that arrives in pieces from other nodes. @throws {PalimpsestError}
   * OBJECT_STORE_FULL
   */
  assemble(objectId: string, sizeBytes: number): Promise<ObjectAssembly> {
    return this.#writes.assemble(objectId, sizeBytes);
  }

  /** Returns whether this process sees the object's file at the path that another node reported. */
  sees(source: StoredObject): Promise<boolean> {
    return this.#writes.sees(source);
  }

  /**
   * Adds an object from the store of another node on this machine, without reading its bytes.
   * @param source what that node reported about it
   * @returns undefined if this process cannot see the file
   * @throws {PalimpsestError} OBJECT_STORE_FULL
   */
  adopt(source: StoredObject, holder: string): Promise<StoredObject | undefined> {
    return this.#writes.adopt(source, holder);
  }

  /** Carries out an order. Returns false if there was nothing to do. */
  drop(order: DropOrder): boolean {
    return this.#table.drop(order);
  }

  /** Handles the end of an owner: frees the objects that have no other lease. */
  release(holder: string): void {
    this.#table.release(holder);
  }

  async close(): Promise<void> {
    this.#table.clear();
    this.#small.clear();
    await this.#segments.close();
    await this.#hashes.close();
    await this.#files.close();
    await this.#spill?.close();
  }

  /** Waits for the room of a small value. Resolves to whether its owner has released it meanwhile. */
  async #comes(
    valueId: string,
    sizeBytes: number,
    holder: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const all = this.#coming.get(valueId) ?? new Set();
    const coming = { holder, isReleased: false };
    this.#coming.set(valueId, all.add(coming));
    try {
      await this.#writes.admitted(sizeBytes, holder, () => this.#room.take(sizeBytes, signal));
    } finally {
      all.delete(coming);
      if (all.size === 0) this.#coming.delete(valueId);
    }
    return coming.isReleased;
  }

  /** Removes the bytes of an object that is no longer in the table. */
  #discard(entry: TableEntry): void {
    const { objectId, sizeBytes, isResident } = entry;
    this.#spill?.drop(objectId);
    this.#room.freed();
    if (this.#small.delete(objectId) || !isResident) return;
    this.#segments.keep(objectId, sizeBytes, () => entry.readers > 0);
  }
}
