/**
 * Responsibility: moving objects between memory and disk: they are spilled when room is needed and restored when they
 * are read. If others already wait for room, they are read on disk instead.
 * Not responsible for: when room is needed and which objects are spilled (store-room.ts).
 *
 * Invariants:
 * - RESIDENCE-1. An object leaves memory only when its copy on disk is complete, and it is not being read.
 * - RESIDENCE-2. Readers that want the same object at the same time share one restoration.
 * - RESIDENCE-3. An object whose copy on disk is damaged is removed, and its readers get OBJECT_LOST, unless it is in
 *   memory.
 * - RESIDENCE-4. An object that cannot be restored, because memory has no room for it, is read on disk.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { ObjectTable, TableEntry } from "./object-table.js";
import { noSpace } from "./object-writer.js";
import { type ObjectFile, type OpenedObject, openedBytes } from "./store/object-disk.js";
import type { ObjectFiles } from "./store/object-files.js";
import type { ObjectSegments } from "./store/object-segments.js";
import type { SpillFiles } from "./store/spill-files.js";
import type { StoreRoom } from "./store/store-room.js";
import type { StoredObject } from "./store/stored-object.js";

/** Called for each object that has moved. */
export type OnMovedBytes = (direction: "spilled" | "restored", sizeBytes: number) => void;

export interface ObjectResidenceDeps {
  readonly table: ObjectTable;
  readonly files: ObjectFiles;
  readonly segments: ObjectSegments;
  /** Small values, which have no file. */
  readonly small: Map<string, Uint8Array>;
  readonly spill: SpillFiles | undefined;
  readonly room: () => StoreRoom;
  readonly onMoved: OnMovedBytes;
}

export class ObjectResidence {
  readonly #deps: ObjectResidenceDeps;
  readonly #returning = new Map<TableEntry, Promise<boolean>>();

  constructor(deps: ObjectResidenceDeps) {
    this.#deps = deps;
  }

  /** Spills the object to disk (RESIDENCE-1). @throws {PalimpsestError} OBJECT_STORE_FULL if the disk cannot take it */
  async spillOut(entry: TableEntry): Promise<void> {
    const { table, segments, small, spill, onMoved } = this.#deps;
    const { objectId, sizeBytes } = entry;
    const isThere = () => table.find(objectId) === entry;
    if (spill === undefined || !isThere()) return;
    if (!spill.has(objectId)) {
      const source = await this.#source(objectId).catch((reason: unknown) => {
        if (isThere()) throw reason;
        return undefined;
      });
      // It was freed in the meantime.
      if (source === undefined) return;
      await spill.write(objectId, source, sizeBytes).finally(() => source.close());
      if (!isThere()) spill.drop(objectId);
      else onMoved("spilled", sizeBytes);
    }
    if (!isThere() || entry.readers > 0) return;
    if (!small.delete(objectId)) segments.keep(objectId, sizeBytes);
    table.reside(entry, false);
  }

  /**
   * Restores the object to memory. Resolves to false if there is no room.
   * @throws {PalimpsestError} OBJECT_LOST; NOT_FOUND if it was freed in the meantime
   */
  async restored(entry: TableEntry): Promise<boolean> {
    if (entry.isResident) return true;
    let returning = this.#returning.get(entry);
    if (returning === undefined) {
      returning = this.#restore(entry).finally(() => this.#returning.delete(entry));
      this.#returning.set(entry, returning);
    }
    return await returning;
  }

  /** Opens the object where it is, in memory or on disk. @throws {PalimpsestError} OBJECT_LOST, NOT_FOUND */
  async opened(entry: TableEntry): Promise<OpenedObject> {
    const { table, spill } = this.#deps;
    const isInMemory = await this.restored(entry);
    try {
      return await (isInMemory || spill === undefined
        ? this.#source(entry.objectId)
        : spill.openVerified(entry.objectId));
    } catch (reason) {
      // A freed object's file is gone with it, which is NOT_FOUND; a missing file of an existing object is an error
      // of its own.
      this.#checkThere(entry);
      // Another reader has restored it in the meantime, after which its copy on disk may be removed.
      if (!isInMemory && entry.isResident) return await this.#source(entry.objectId);
      if (PalimpsestError.from(reason).code === "OBJECT_LOST") table.remove(entry, "damaged");
      throw reason;
    }
  }

  /**
   * Returns the file to read it from, which may be gone when it is opened.
   * @throws {PalimpsestError} OBJECT_LOST, NOT_FOUND
   */
  async located(entry: TableEntry): Promise<StoredObject> {
    const { spill } = this.#deps;
    if (spill === undefined || (await this.restored(entry))) return entry;
    entry.readers++;
    try {
      await (await this.opened(entry)).close();
    } finally {
      entry.readers--;
      this.#deps.room().changed();
    }
    const { objectId, sizeBytes, path, isResident } = entry;
    return { objectId, sizeBytes, path: isResident || path === "" ? path : spill.pathOf(objectId) };
  }

  #source(objectId: string): Promise<OpenedObject> {
    const small = this.#deps.small.get(objectId);
    return small ? Promise.resolve(openedBytes(small)) : this.#deps.files.openObject(objectId);
  }

  async #restore(entry: TableEntry): Promise<boolean> {
    const { onMoved } = this.#deps;
    const room = this.#deps.room();
    if (!(await room.takeIfIdle(entry.sizeBytes))) return false;
    try {
      await room.settled();
      await (entry.path === "" ? this.#restoreSmall(entry) : this.#restoreFile(entry));
      onMoved("restored", entry.sizeBytes);
      return true;
    } catch (reason) {
      if (noSpace(reason) === undefined) throw reason;
      return false;
    } finally {
      room.giveBack(entry.sizeBytes);
    }
  }

  async #restoreSmall(entry: TableEntry): Promise<void> {
    const { small } = this.#deps;
    const bytes = new Uint8Array(entry.sizeBytes);
    await this.#readBack(entry, fileInto(bytes));
    this.#checkThere(entry);
    small.set(entry.objectId, bytes);
    this.#deps.table.reside(entry, true);
  }

  async #restoreFile(entry: TableEntry): Promise<void> {
    const { files, table } = this.#deps;
    const { objectId } = entry;
    const { file, temporary } = await files.create();
    try {
      await this.#readBack(entry, file).finally(() => file.close());
      await files.inTurn(objectId, async () => {
        this.#checkThere(entry);
        await files.keep(temporary, objectId);
        if (table.find(objectId) === entry) table.reside(entry, true);
        // It was freed during the rename; an object that was entered under its name since then waits for its turn.
        else files.remove(objectId, entry.sizeBytes);
      });
      this.#checkThere(entry);
    } catch (reason) {
      await files.discard(temporary).catch(() => undefined);
      throw reason;
    }
  }

  /** RESIDENCE-3 */
  async #readBack(entry: TableEntry, target: ObjectFile): Promise<void> {
    const { spill, table } = this.#deps;
    try {
      await spill?.read(entry.objectId, target);
    } catch (reason) {
      this.#checkThere(entry);
      if (PalimpsestError.from(reason).code === "OBJECT_LOST") table.remove(entry, "damaged");
      throw reason;
    }
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  #checkThere(entry: TableEntry): void {
    const { table } = this.#deps;
    if (table.find(entry.objectId) === entry) return;
    throw new PalimpsestError(
      "NOT_FOUND",
      `object ${entry.objectId} was freed while it was read back from disk`,
      {
        details: { objectId: entry.objectId },
      },
    );
  }
}

function fileInto(bytes: Uint8Array): ObjectFile {
  let at = 0;
  return {
    write: async (data, offset) => {
      const part = data.subarray(offset);
      bytes.set(part, at);
      at += part.byteLength;
      return { bytesWritten: part.byteLength };
    },
    close: async () => undefined,
  };
}
