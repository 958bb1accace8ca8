/**
 * Responsibility: objects that are being written to a store: room and a file for each, and their name when they are
 * complete.
 * Not responsible for: bytes (object-writer.ts, shared-write.ts), or which objects there are (object-table.ts).
 *
 * The store's invariants STORE-1 and STORE-4 are kept here.
 */
import { basename } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import type { WithdrawnValues } from "../../base/withdrawn-values.js";
import { ObjectAssembly } from "../object-assembly.js";
import type { ObjectQuotas } from "../object-quotas.js";
import type { ObjectTable } from "../object-table.js";
import { ObjectWriter } from "../object-writer.js";
import type { FileHashes } from "./file-hashes.js";
import type { ObjectFiles } from "./object-files.js";
import type { ObjectSegments } from "./object-segments.js";
import { SharedWrite } from "./shared-write.js";
import type { AheadRoom, StoreRoom } from "./store-room.js";
import { isValueId, type StoredObject } from "./stored-object.js";

export interface StoreWritesDeps {
  readonly files: ObjectFiles;
  readonly table: ObjectTable;
  readonly segments: ObjectSegments;
  readonly room: StoreRoom;
  readonly hashes: FileHashes;
  readonly withdrawn: Pick<WithdrawnValues, "has">;
  readonly quotas: Pick<ObjectQuotas, "take" | "takeAhead" | "giveBack">;
}

export class StoreWrites {
  readonly #files: ObjectFiles;
  readonly #table: ObjectTable;
  readonly #segments: ObjectSegments;
  readonly #room: StoreRoom;
  readonly #hashes: FileHashes;
  readonly #withdrawn: StoreWritesDeps["withdrawn"];
  readonly #quotas: StoreWritesDeps["quotas"];

  constructor({ files, table, segments, room, hashes, withdrawn, quotas }: StoreWritesDeps) {
    this.#quotas = quotas;
    this.#hashes = hashes;
    this.#withdrawn = withdrawn;
    this.#files = files;
    this.#table = table;
    this.#segments = segments;
    this.#room = room;
  }

  /**
   * @param holder owner of the lease; empty for a copy
   * @param valueId empty if the object is named by its hash
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  async create(sizeBytes: number, holder: string, valueId: string): Promise<ObjectWriter> {
    const begin = async () => {
      const { file, temporary } = await this.#files.create();
      return new ObjectWriter(
        file,
        sizeBytes,
        (objectId) => this.#settle(temporary, sizeBytes, holder, objectId),
        valueId,
      );
    };
    return await this.admitted(sizeBytes, holder, () => this.#reserved(sizeBytes, begin));
  }

  /**
   * Reserves room for an object that a program on this machine writes itself.
   * @param valueId empty if the object is named by its hash when it is sealed
   * @param signal ends the wait for room
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT, CANCELLED
   */
  async reserve(
    sizeBytes: number,
    holder: string,
    valueId: string,
    signal?: AbortSignal,
  ): Promise<SharedWrite> {
    const begin = async (path: string) => {
      return new SharedWrite({
        path,
        sizeBytes,
        sizeOf: () => this.#files.sizeOf(path),
        nameOf: async () => valueId || (await this.#hashes.of(path, sizeBytes)),
        settle: (objectId) => this.#settle(path, sizeBytes, holder, objectId),
      });
    };
    return await this.admitted(sizeBytes, holder, () => this.#inFile(sizeBytes, begin, signal));
  }

  /** Reserves room for a value ahead of need (STOREROOM-4). Returns undefined if there is none. */
  async reserveAhead(sizeBytes: number, holder: string, valueId: string): Promise<SharedWrite | undefined> {
    if (!this.#room.hasRoomAhead(sizeBytes)) return undefined;
    const kept = await this.#segments.take(sizeBytes, 1);
    const path = kept?.path ?? this.#files.temporaryName();
    const revoke = () => void write.abort().catch(() => undefined);
    kept?.leave();
    const room = this.#takeAhead(sizeBytes, holder, revoke);
    const unused = () => {
      if (room?.giveBack()) this.#quotas.giveBack(holder, sizeBytes);
    };
    const write: SharedWrite = new SharedWrite({
      path,
      sizeBytes,
      sizeOf: () => this.#files.sizeOf(path),
      nameOf: async () => valueId,
      settle: (objectId) => {
        if (objectId === undefined) return this.#settle(path, sizeBytes, holder, objectId, unused);
        // While the file gets its name, nobody else may have the room.
        room?.keep();
        return this.#settle(path, sizeBytes, holder, objectId);
      },
    });
    try {
      if (room !== undefined) {
        await this.#room.settled();
        if (kept === undefined) await (await this.#files.create(path)).file.close();
        return write;
      }
    } catch {
      // A disk without room has none ahead of need.
    }
    await write.abort();
    return undefined;
  }

  /**
   * Runs `begin`, which takes room, once the owner's quotas admit the bytes; #settle() gives them back.
   * @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT
   */
  async admitted<T>(sizeBytes: number, holder: string, begin: () => Promise<T>): Promise<T> {
    if (holder === "") return await begin();
    checkSize(sizeBytes);
    const waiting = this.#quotas.take(holder, sizeBytes);
    if (waiting !== undefined) await waiting;
    try {
      return await begin();
    } catch (reason) {
      this.#quotas.giveBack(holder, sizeBytes);
      throw reason;
    }
  }

  #takeAhead(sizeBytes: number, holder: string, revoke: () => void): AheadRoom | undefined {
    if (!this.#quotas.takeAhead(holder, sizeBytes)) return undefined;
    const leave = () => this.#quotas.giveBack(holder, sizeBytes);
    const room = this.#room.takeAhead(sizeBytes, () => {
      leave();
      revoke();
    });
    if (room === undefined) leave();
    return room;
  }

  /**
   * Reserves room for a copy of an object that arrives in pieces from other nodes. @throws {PalimpsestError}
   * OBJECT_STORE_FULL
   */
  async assemble(objectId: string, sizeBytes: number): Promise<ObjectAssembly> {
    return await this.#inFile(sizeBytes, async (path) => {
      const file = await this.#files.openToWrite(path);
      const hash = isValueId(objectId) ? undefined : this.#hashes.open(path);
      const settle = (name: string | undefined) => this.#settle(path, sizeBytes, "", name);
      return new ObjectAssembly({ objectId, sizeBytes, file, hash, settle });
    });
  }

  /** Runs `begin` with a file of at most that many bytes, which count as announced: one kept for reuse, or a new one. */
  async #inFile<T>(sizeBytes: number, begin: (path: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    checkSize(sizeBytes);
    const reused = await this.#reused(sizeBytes);
    const path = reused ?? this.#files.temporaryName();
    if (reused === undefined) await this.#room.take(sizeBytes, signal);
    try {
      await this.#room.settled();
      if (reused === undefined) await (await this.#files.create(path)).file.close();
      return await begin(path);
    } catch (reason) {
      await this.#files.discard(path).catch(() => undefined);
      this.#room.giveBack(sizeBytes);
      throw reason;
    }
  }

  /** Takes a file that was kept for reuse, if there is one, and room for the rest of the bytes at once. */
  async #reused(sizeBytes: number): Promise<string | undefined> {
    // Who waits for room may need it.
    const kept = this.#room.isFree ? await this.#segments.take(sizeBytes) : undefined;
    if (kept === undefined) return undefined;
    const { path, sizeBytes: keptBytes } = kept;
    kept.leave();
    this.#room.takeOver(keptBytes);
    const fits =
      keptBytes <= sizeBytes
        ? keptBytes === sizeBytes || this.#room.takeNow(sizeBytes - keptBytes)
        : await this.#files.resize(path, sizeBytes).then(
            () => true,
            () => false,
          );
    if (!fits) await this.#files.discard(path).catch(() => undefined);
    if (!fits || keptBytes > sizeBytes) this.#room.giveBack(fits ? keptBytes - sizeBytes : keptBytes);
    return fits ? path : undefined;
  }

  async sees({ objectId, path, sizeBytes }: StoredObject): Promise<boolean> {
    return basename(path) === objectId && (await this.#files.sizeOf(path)) === sizeBytes;
  }

  /**
   * Adds an object from the store of another node on this machine, without reading its bytes.
   * @param source what that node reported about it
   * @returns undefined if this process cannot see the file
   * @throws {PalimpsestError} OBJECT_STORE_FULL
   */
  async adopt(
    { objectId, path, sizeBytes }: StoredObject,
    holder: string,
  ): Promise<StoredObject | undefined> {
    if (!(await this.sees({ objectId, path, sizeBytes }))) return undefined;
    const temporary = this.#files.temporaryName();
    await this.#reserved(sizeBytes, async () => undefined);
    const adopted = await this.#files.adopt(path, temporary, sizeBytes).catch(() => false);
    const unreserve = () => this.#room.giveBack(sizeBytes);
    return await this.#settle(temporary, sizeBytes, holder, adopted ? objectId : undefined, unreserve);
  }

  /** Counts the bytes as announced while `begin` opens their destination. */
  async #reserved<T>(sizeBytes: number, begin: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    checkSize(sizeBytes);
    await this.#room.take(sizeBytes, signal);
    try {
      await this.#room.settled();
      return await begin();
    } catch (reason) {
      this.#room.giveBack(sizeBytes);
      throw reason;
    }
  }

  /** Ends a writer: keeps the file under its name, or discards it if there is no name or the object exists already. */
  async #settle(
    temporary: string,
    sizeBytes: number,
    holder: string,
    objectId: string | undefined,
    unreserve = () => {
      this.#room.giveBack(sizeBytes);
      if (holder !== "") this.#quotas.giveBack(holder, sizeBytes);
    },
  ): Promise<StoredObject | undefined> {
    if (objectId === undefined) {
      await this.#files.inTurn(temporary, () => this.#files.discard(temporary)).finally(unreserve);
      return undefined;
    }
    return await this.#files.inTurn(objectId, async () => {
      // STORE-7
      if (this.#withdrawn.has(objectId)) {
        await this.#files.discard(temporary).finally(unreserve);
        return undefined;
      }
      const known = this.#table.find(objectId);
      if (known !== undefined) {
        if (holder !== "") this.#table.hold(known, holder);
        await this.#files.discard(temporary).finally(unreserve);
        return this.#table.find(objectId);
      }
      try {
        await this.#files.keep(temporary, objectId);
        return this.#table.enter({ objectId, sizeBytes, path: this.#files.pathOf(objectId) }, holder);
      } finally {
        // The bytes change from announced to stored in one step (STORE-2).
        unreserve();
      }
    });
  }
}

function checkSize(sizeBytes: number): void {
  if (Number.isSafeInteger(sizeBytes) && sizeBytes >= 0) return;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `size_bytes is ${sizeBytes}: the first chunk must give the total size`,
  );
}
