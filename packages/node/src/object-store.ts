/**
 * Responsibility: immutable objects of this node as files named by the SHA-256 of their bytes: which of them are held,
 * and which make room for others.
 * Not responsible for: the network (objects-service.ts, object-fetch.ts); which holders live (the head knows).
 *
 * Invariants:
 * - STORE-1. A file lies under its name only when all of its bytes are there and hash to the name; of a value, whose name is
 *   random, when they are as many as were announced.
 * - STORE-2. Stored bytes, bytes announced by open writers and those of files that are kept to be written again never
 *   exceed `maxBytes` together.
 * - STORE-3. An object that has a holder is never evicted; it is freed when its last holder ends or lets go. Readers
 *   that have it open still read it to the end.
 * - STORE-4. An object that is stored twice is kept once.
 * - STORE-5. A copy, which has no holder, is evicted when room is needed, the longest unused first, but not while it is
 *   read or leased to a reader.
 * - STORE-6. A hold that was made after an order to drop was given is not ended by that order (revisions).
 */
import { basename } from "node:path";
import { type Clock, PalimpsestError, systemClock } from "@palimpsest/wire";
import { type ObjectDisk, type OpenedObject, openedBytes, systemDisk } from "./object-disk.js";
import { ObjectFiles } from "./object-files.js";
import { ObjectSegments } from "./object-segments.js";
import { ObjectTable, type TableEntry } from "./object-table.js";
import { ObjectWriter } from "./object-writer.js";
import { SharedWrite } from "./shared-write.js";
import { objectStoreFull } from "./store-full.js";
import {
  type DropOrder,
  isValueId,
  type StoredObject,
  type StoredPlace,
  type StoreWatcher,
} from "./stored-object.js";

export interface ObjectStoreOptions {
  /** Folder of its own; emptied on open and removed on close. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock?: Clock;
  /** Default: the machine's own. */
  readonly disk?: ObjectDisk;
}

export class ObjectStore {
  readonly maxBytes: number;
  readonly #clock: Clock;
  readonly #files: ObjectFiles;
  readonly #table: ObjectTable;
  readonly #segments: ObjectSegments;
  /** Bytes of small values: a file for each would cost more than it holds. */
  readonly #small = new Map<string, Uint8Array>();
  #reservedBytes = 0;

  private constructor(files: ObjectFiles, options: ObjectStoreOptions) {
    this.#files = files;
    this.maxBytes = options.maxBytes;
    this.#clock = options.clock ?? systemClock;
    this.#segments = new ObjectSegments(files, this.#clock);
    this.#table = new ObjectTable(this.#clock, (entry) => this.#discard(entry));
  }

  static async open(options: ObjectStoreOptions): Promise<ObjectStore> {
    return new ObjectStore(await ObjectFiles.open(options.folder, options.disk ?? systemDisk), options);
  }

  get folder(): string {
    return this.#files.folder;
  }

  get size(): number {
    return this.#table.size;
  }

  get storedBytes(): number {
    return this.#table.storedBytes;
  }

  /** Bytes of copies, which make room when room is needed. */
  get copyBytes(): number {
    return this.#table.copyBytes;
  }

  watch(watcher: StoreWatcher): void {
    this.#table.watch(watcher);
  }

  places(): Iterable<StoredPlace> {
    return this.#table.places();
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

  /** Has it read: a copy stays until done() (STORE-5). @throws {PalimpsestError} NOT_FOUND */
  read(objectId: string): {
    readonly object: StoredObject;
    /** @throws {PalimpsestError} NOT_FOUND when it was freed meanwhile */
    open(): Promise<OpenedObject>;
    done(): void;
  } {
    const entry = this.#table.get(objectId);
    entry.readers++;
    this.#table.use(entry);
    let done = false;
    return {
      object: entry,
      open: async () => {
        const small = this.#small.get(objectId);
        if (small !== undefined) return openedBytes(small);
        try {
          return await this.#files.openObject(objectId);
        } catch (reason) {
          // Its file is gone with it; a file that is missing under an object that is there is an error of its own.
          if (this.#table.find(objectId) !== entry) this.#table.get(objectId);
          throw reason;
        }
      },
      done: () => {
        if (!done) entry.readers--;
        done = true;
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

  /** Whether somebody holds it here: it is no mere copy. */
  isHeld(objectId: string): boolean {
    return (this.#table.find(objectId)?.holders.size ?? 0) > 0;
  }

  /** What the holder holds on this node. */
  heldBy(holder: string): string[] {
    return this.#table.heldBy(holder);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  hold(objectId: string, holder: string): void {
    this.#table.hold(this.#table.get(objectId), holder);
  }

  /**
   * @param holder empty: a copy
   * @param valueId empty: the object is named by its hash
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  async create(sizeBytes: number, holder: string, valueId = ""): Promise<ObjectWriter> {
    return await this.#reserved(sizeBytes, async () => {
      const { file, temporary } = await this.#files.create();
      return new ObjectWriter(
        file,
        sizeBytes,
        (objectId) => this.#settle(temporary, sizeBytes, holder, objectId),
        valueId,
      );
    });
  }

  /** Keeps a small value in memory. @throws {PalimpsestError} OBJECT_STORE_FULL */
  keepSmall(valueId: string, bytes: Uint8Array, holder: string): void {
    const known = this.#table.find(valueId);
    if (known !== undefined) {
      this.#table.hold(known, holder);
      return;
    }
    this.#makeRoom(bytes.byteLength);
    // A copy: what came is part of a whole message.
    this.#small.set(valueId, Uint8Array.from(bytes));
    this.#table.enter({ objectId: valueId, sizeBytes: bytes.byteLength, path: "" }, holder);
  }

  /** The bytes of a value that keepSmall() keeps. */
  smallBytes(objectId: string): Uint8Array | undefined {
    return this.#small.get(objectId);
  }

  /**
   * Room for a value that a program of this machine writes itself.
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  async reserve(sizeBytes: number, holder: string, valueId: string): Promise<SharedWrite> {
    const kept = this.#segments.take(sizeBytes);
    const path = kept?.path ?? this.#files.temporaryName();
    try {
      return await this.#reserved(sizeBytes, async () => {
        if (kept === undefined || !(await kept.ready)) await (await this.#files.create(path)).file.close();
        else if (kept.sizeBytes > sizeBytes) await this.#files.resize(path, sizeBytes);
        return new SharedWrite({
          path,
          sizeBytes,
          sizeOf: () => this.#files.sizeOf(path),
          settle: (keep) => this.#settle(path, sizeBytes, holder, keep ? valueId : undefined),
        });
      });
    } catch (reason) {
      await this.#files.discard(path).catch(() => undefined);
      throw reason;
    }
  }

  /**
   * Has an object that lies in the store of another node of this machine here too, without reading its bytes.
   * @param source what that node says of it
   * @returns undefined: this process cannot see the file
   * @throws {PalimpsestError} OBJECT_STORE_FULL
   */
  async adopt(
    { objectId, path, sizeBytes }: StoredObject,
    holder: string,
  ): Promise<StoredObject | undefined> {
    if (basename(path) !== objectId) return undefined;
    const temporary = this.#files.temporaryName();
    await this.#reserved(sizeBytes, async () => undefined);
    const adopted = await this.#files.adopt(path, temporary, sizeBytes).catch(() => false);
    return await this.#settle(temporary, sizeBytes, holder, adopted ? objectId : undefined);
  }

  /** Carries out an order; false when there was nothing to do. */
  drop(order: DropOrder): boolean {
    return this.#table.drop(order);
  }

  /** The holder ended: frees what nobody else holds. */
  release(holder: string): void {
    this.#table.release(holder);
  }

  async close(): Promise<void> {
    this.#table.clear();
    this.#small.clear();
    this.#segments.close();
    await this.#files.close();
  }

  /** Counts the bytes as announced while `begin` opens what takes them. */
  async #reserved<T>(sizeBytes: number, begin: () => Promise<T>): Promise<T> {
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
      await Promise.all([this.#files.settled(), this.#segments.settled()]);
      return await begin();
    } catch (reason) {
      this.#reservedBytes -= sizeBytes;
      throw reason;
    }
  }

  /** Its bytes are needed no more. */
  #discard({ objectId, sizeBytes, readers }: TableEntry): void {
    if (this.#small.delete(objectId)) return;
    // Who reads it for another node has its file open.
    const reusable = isValueId(objectId) && readers === 0;
    if (!reusable || !this.#segments.keep(objectId, sizeBytes)) this.#files.remove(objectId);
  }

  /** STORE-5. @throws {PalimpsestError} OBJECT_STORE_FULL, and then nothing was evicted */
  #makeRoom(sizeBytes: number): void {
    const missing = () =>
      this.#table.storedBytes + this.#segments.bytes + this.#reservedBytes + sizeBytes - this.maxBytes;
    this.#segments.shrink(missing());
    let missingBytes = missing();
    if (missingBytes <= 0) return;
    const now = this.#clock.monotonicMs();
    const evicted: TableEntry[] = [];
    for (const entry of this.#table.copies()) {
      if (missingBytes <= 0) break;
      if (entry.readers > 0 || entry.leasedUntilMs > now) continue;
      evicted.push(entry);
      missingBytes -= entry.sizeBytes;
    }
    if (missingBytes > 0) throw this.#full(sizeBytes);
    for (const entry of evicted) this.#table.remove(entry, "evicted");
    this.#segments.shrink(missing());
  }

  #full(sizeBytes: number): PalimpsestError {
    return objectStoreFull({
      sizeBytes,
      maxBytes: this.maxBytes,
      storedBytes: this.#table.storedBytes,
      copyBytes: this.#table.copyBytes,
      reservedBytes: this.#reservedBytes,
      bytesByHolder: this.#table.bytesByHolder(),
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
      const known = this.#table.find(objectId);
      if (known !== undefined) {
        if (holder !== "") this.#table.hold(known, holder);
        await this.#files.discard(temporary).finally(unreserve);
        return this.#table.find(objectId);
      }
      // The bytes change from announced to stored in one step (STORE-2).
      await this.#files.keep(temporary, objectId).finally(unreserve);
      return this.#table.enter({ objectId, sizeBytes, path: this.#files.pathOf(objectId) }, holder);
    });
  }
}
