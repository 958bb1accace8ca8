/**
 * Responsibility: immutable objects of this node as files named by the SHA-256 of their bytes: which of them are held,
 * and which make room for others.
 * Not responsible for: the network (objects-service.ts, object-fetch.ts); which holders live (the head knows).
 *
 * Invariants:
 * - STORE-1. A file lies under its name only when all of its bytes are there and hash to the name.
 * - STORE-2. Stored bytes and bytes announced by open writers never exceed `maxBytes` together.
 * - STORE-3. An object that has a holder is never evicted; it is freed when its last holder ends or lets go. Readers
 *   that have it open still read it to the end.
 * - STORE-4. An object that is stored twice is kept once.
 * - STORE-5. A copy, which has no holder, is evicted when room is needed, the longest unused first, but not while it is
 *   read or leased to a reader.
 * - STORE-6. A hold that was made after an order to drop was given is not ended by that order (revisions).
 */
import { type Clock, PalimpsestError, systemClock } from "@palimpsest/wire";
import { ObjectFiles } from "./object-files.js";
import { ObjectWriter } from "./object-writer.js";
import { objectStoreFull } from "./store-full.js";
import type { DropCause, DropOrder, StoredObject, StoredPlace, StoreWatcher } from "./stored-object.js";

interface Entry extends StoredObject {
  /** And the revision of each one's hold. */
  readonly holders: Map<string, number>;
  revision: number;
  readers: number;
  leasedUntilMs: number;
}

export interface ObjectStoreOptions {
  /** Folder of its own; emptied on open and removed on close. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock?: Clock;
}

export class ObjectStore {
  readonly maxBytes: number;
  readonly #clock: Clock;
  readonly #files: ObjectFiles;
  readonly #objects = new Map<string, Entry>();
  /** Objects without a holder, the longest unused first. */
  readonly #copies = new Map<string, Entry>();
  readonly #held = new Map<string, Set<Entry>>();
  readonly #watchers = new Set<StoreWatcher>();
  #storedBytes = 0;
  #reservedBytes = 0;
  /** Begins with the time, so that a node that starts again under its old id is not behind its old self. */
  #revisions: number;

  private constructor(files: ObjectFiles, options: ObjectStoreOptions) {
    this.#files = files;
    this.maxBytes = options.maxBytes;
    this.#clock = options.clock ?? systemClock;
    this.#revisions = this.#clock.now();
  }

  static async open(options: ObjectStoreOptions): Promise<ObjectStore> {
    return new ObjectStore(await ObjectFiles.open(options.folder), options);
  }

  get folder(): string {
    return this.#files.folder;
  }

  get size(): number {
    return this.#objects.size;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Bytes of copies, which make room when room is needed. */
  get copyBytes(): number {
    let bytes = 0;
    for (const { sizeBytes } of this.#copies.values()) bytes += sizeBytes;
    return bytes;
  }

  watch(watcher: StoreWatcher): void {
    this.#watchers.add(watcher);
  }

  *places(): Generator<StoredPlace> {
    for (const entry of this.#objects.values()) yield placeOf(entry);
  }

  holders(): string[] {
    return [...this.#held.keys()];
  }

  find(objectId: string): StoredObject | undefined {
    return this.#objects.get(objectId);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  get(objectId: string): StoredObject {
    return this.#entry(objectId);
  }

  /** Opens it for reading: a copy stays until done() (STORE-5). @throws {PalimpsestError} NOT_FOUND */
  read(objectId: string): { readonly object: StoredObject; done(): void } {
    const entry = this.#entry(objectId);
    entry.readers++;
    this.#used(entry);
    let done = false;
    return {
      object: entry,
      done: () => {
        if (!done) entry.readers--;
        done = true;
      },
    };
  }

  /** Keeps a copy for a reader that will open its file. */
  lease(objectId: string, leaseMs: number): void {
    const entry = this.#objects.get(objectId);
    if (entry === undefined) return;
    entry.leasedUntilMs = Math.max(entry.leasedUntilMs, this.#clock.monotonicMs() + leaseMs);
    this.#used(entry);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  hold(objectId: string, holder: string): void {
    this.#hold(this.#entry(objectId), holder);
  }

  /**
   * @param holder empty: a copy
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  async create(sizeBytes: number, holder: string): Promise<ObjectWriter> {
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `size_bytes is ${sizeBytes}: the first chunk names the whole size`,
      );
    }
    this.#makeRoom(sizeBytes);
    this.#reservedBytes += sizeBytes;
    try {
      // What is counted no more must be off the disk before something else is written (STORE-2).
      await this.#files.settled();
      const { file, temporary } = await this.#files.create();
      return new ObjectWriter(file, sizeBytes, (objectId) =>
        this.#settle(temporary, sizeBytes, holder, objectId),
      );
    } catch (reason) {
      this.#reservedBytes -= sizeBytes;
      throw reason;
    }
  }

  /** Carries out an order; false when there was nothing to do. */
  drop({ objectId, holder, revision, copiesOnly = false }: DropOrder): boolean {
    const entry = this.#objects.get(objectId);
    if (entry === undefined) return false;
    const meant = holder === "" ? entry.revision : entry.holders.get(holder);
    if (meant === undefined || (revision !== undefined && meant > revision)) return false;
    if (copiesOnly && entry.holders.size > 0) return false;
    if (holder === "") this.#remove(entry, "freed");
    else this.#letGo(entry, holder, "freed");
    return true;
  }

  /** The holder ended: frees what nobody else holds. */
  release(holder: string): void {
    for (const entry of [...(this.#held.get(holder) ?? [])]) this.#letGo(entry, holder, "holder ended");
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#objects.clear();
    this.#copies.clear();
    this.#held.clear();
    this.#storedBytes = 0;
    await this.#files.close();
  }

  #entry(objectId: string): Entry {
    const found = this.#objects.get(objectId);
    if (found) return found;
    throw new PalimpsestError("NOT_FOUND", `object ${objectId} is not on this node`, {
      details: { objectId },
    });
  }

  #used(entry: Entry): void {
    if (this.#copies.delete(entry.objectId)) this.#copies.set(entry.objectId, entry);
  }

  #hold(entry: Entry, holder: string): void {
    entry.revision = ++this.#revisions;
    this.#copies.delete(entry.objectId);
    entry.holders.set(holder, entry.revision);
    let objects = this.#held.get(holder);
    if (objects === undefined) {
      objects = new Set();
      this.#held.set(holder, objects);
      for (const watcher of this.#watchers) watcher.newHolder(holder);
    }
    objects.add(entry);
    for (const watcher of this.#watchers) watcher.present(placeOf(entry));
  }

  #letGo(entry: Entry, holder: string, cause: DropCause): void {
    this.#forgetHold(entry, holder);
    if (entry.holders.size === 0) this.#remove(entry, cause);
    else for (const watcher of this.#watchers) watcher.present(placeOf(entry));
  }

  #forgetHold(entry: Entry, holder: string): void {
    entry.holders.delete(holder);
    const objects = this.#held.get(holder);
    objects?.delete(entry);
    if (objects?.size === 0) this.#held.delete(holder);
  }

  #remove(entry: Entry, cause: DropCause): void {
    for (const holder of [...entry.holders.keys()]) this.#forgetHold(entry, holder);
    this.#objects.delete(entry.objectId);
    this.#copies.delete(entry.objectId);
    this.#storedBytes -= entry.sizeBytes;
    this.#files.remove(entry.objectId);
    for (const watcher of this.#watchers) watcher.gone(entry.objectId, cause);
  }

  /** STORE-5. @throws {PalimpsestError} OBJECT_STORE_FULL, and then nothing was evicted */
  #makeRoom(sizeBytes: number): void {
    let missingBytes = this.#storedBytes + this.#reservedBytes + sizeBytes - this.maxBytes;
    if (missingBytes <= 0) return;
    const now = this.#clock.monotonicMs();
    const evicted: Entry[] = [];
    for (const entry of this.#copies.values()) {
      if (missingBytes <= 0) break;
      if (entry.readers > 0 || entry.leasedUntilMs > now) continue;
      evicted.push(entry);
      missingBytes -= entry.sizeBytes;
    }
    if (missingBytes > 0) throw this.#full(sizeBytes);
    for (const entry of evicted) this.#remove(entry, "evicted");
  }

  #full(sizeBytes: number): PalimpsestError {
    const bytesByHolder = new Map<string, number>();
    for (const [holder, entries] of this.#held) {
      let bytes = 0;
      for (const entry of entries) bytes += entry.sizeBytes;
      bytesByHolder.set(holder, bytes);
    }
    return objectStoreFull({
      sizeBytes,
      maxBytes: this.maxBytes,
      storedBytes: this.#storedBytes,
      copyBytes: this.copyBytes,
      reservedBytes: this.#reservedBytes,
      bytesByHolder,
    });
  }

  /** Ends a writer: keeps the file under its name, or drops it when there is no name or it is there already. */
  async #settle(
    temporary: string,
    sizeBytes: number,
    holder: string,
    objectId: string | undefined,
  ): Promise<StoredObject | undefined> {
    const unreserve = () => {
      this.#reservedBytes -= sizeBytes;
    };
    if (objectId === undefined) {
      await this.#files.discard(temporary).finally(unreserve);
      return undefined;
    }
    return await this.#files.inTurn(objectId, async () => {
      const known = this.#objects.get(objectId);
      if (known !== undefined) {
        if (holder !== "") this.#hold(known, holder);
        await this.#files.discard(temporary).finally(unreserve);
        return this.#objects.get(objectId);
      }
      // The bytes change from announced to stored in one step (STORE-2).
      await this.#files.keep(temporary, objectId).finally(unreserve);
      return this.#enter(objectId, sizeBytes, holder);
    });
  }

  #enter(objectId: string, sizeBytes: number, holder: string): Entry {
    const entry: Entry = {
      objectId,
      sizeBytes,
      path: this.#files.pathOf(objectId),
      holders: new Map(),
      revision: ++this.#revisions,
      readers: 0,
      leasedUntilMs: 0,
    };
    this.#objects.set(objectId, entry);
    this.#storedBytes += sizeBytes;
    if (holder !== "") this.#hold(entry, holder);
    else {
      this.#copies.set(objectId, entry);
      for (const watcher of this.#watchers) watcher.present(placeOf(entry));
    }
    return entry;
  }
}

function placeOf({ objectId, sizeBytes, holders, revision }: Entry): StoredPlace {
  return { objectId, sizeBytes, held: holders.size > 0, revision };
}
