/**
 * Job: immutable objects of this node as files named by the SHA-256 of their bytes.
 * Non-job: the network (objects-service.ts, object-fetch.ts).
 *
 * S1. A file lies under its name only when all of its bytes are there and hash to the name.
 * S2. Stored bytes and bytes announced by open writers never exceed `maxBytes` together.
 * S3. An object is freed when its last holder is released; readers that have it open still read it to the end.
 * S4. An object that is stored twice is kept once.
 */
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";

const objectIdPattern = /^[0-9a-f]{64}$/;

export interface StoredObject {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly path: string;
}

interface Entry extends StoredObject {
  readonly holders: Set<string>;
}

export interface ObjectStoreOptions {
  /** Folder of its own; emptied on open and removed on close. */
  readonly folder: string;
  readonly maxBytes: number;
}

export class ObjectStore {
  readonly folder: string;
  readonly maxBytes: number;
  readonly #objects = new Map<string, Entry>();
  #storedBytes = 0;
  #reservedBytes = 0;

  private constructor(options: ObjectStoreOptions) {
    this.folder = options.folder;
    this.maxBytes = options.maxBytes;
  }

  static async open(options: ObjectStoreOptions): Promise<ObjectStore> {
    await rm(options.folder, { recursive: true, force: true });
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    return new ObjectStore(options);
  }

  get size(): number {
    return this.#objects.size;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  find(objectId: string): StoredObject | undefined {
    return this.#objects.get(objectId);
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  get(objectId: string): StoredObject {
    const found = this.#objects.get(objectId);
    if (found) return found;
    throw new PalimpsestError("NOT_FOUND", `object ${objectId} is not on this node`, {
      details: { objectId },
    });
  }

  hold(objectId: string, holder: string): void {
    if (holder) this.#objects.get(objectId)?.holders.add(holder);
  }

  /** @throws {PalimpsestError} OBJECT_STORE_FULL, INVALID_ARGUMENT */
  async create(sizeBytes: number, holder: string): Promise<ObjectWriter> {
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `size_bytes is ${sizeBytes}: the first chunk names the whole size`,
      );
    }
    const usedBytes = this.#storedBytes + this.#reservedBytes;
    if (usedBytes + sizeBytes > this.maxBytes) {
      throw new PalimpsestError(
        "OBJECT_STORE_FULL",
        `${sizeBytes} bytes do not fit: ${usedBytes} of ${this.maxBytes} bytes are taken; delete objects or raise objectStoreBytes`,
        {
          details: {
            sizeBytes: String(sizeBytes),
            usedBytes: String(usedBytes),
            maxBytes: String(this.maxBytes),
          },
        },
      );
    }
    this.#reservedBytes += sizeBytes;
    const temporary = join(this.folder, `${randomUUID()}.part`);
    try {
      const file = await open(temporary, "wx", 0o600);
      return new ObjectWriter(file, sizeBytes, (objectId) =>
        this.#settle(temporary, sizeBytes, holder, objectId),
      );
    } catch (reason) {
      this.#reservedBytes -= sizeBytes;
      throw reason;
    }
  }

  async delete(objectId: string): Promise<boolean> {
    const entry = this.#objects.get(objectId);
    if (!entry) return false;
    this.#objects.delete(objectId);
    this.#storedBytes -= entry.sizeBytes;
    await rm(entry.path, { force: true });
    return true;
  }

  /** The holder ended: frees what nobody else holds. */
  async release(holder: string): Promise<void> {
    const freed: string[] = [];
    for (const { objectId, holders } of this.#objects.values()) {
      if (holders.delete(holder) && holders.size === 0) freed.push(objectId);
    }
    await Promise.all(freed.map((objectId) => this.delete(objectId)));
  }

  async close(): Promise<void> {
    this.#objects.clear();
    this.#storedBytes = 0;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Ends a writer: keeps the file under its name, or drops it when there is no name or it is there already. */
  async #settle(
    temporary: string,
    sizeBytes: number,
    holder: string,
    objectId: string | undefined,
  ): Promise<StoredObject | undefined> {
    this.#reservedBytes -= sizeBytes;
    if (objectId === undefined || this.#objects.has(objectId)) {
      await rm(temporary, { force: true });
      if (objectId === undefined) return undefined;
      this.hold(objectId, holder);
      return this.#objects.get(objectId);
    }
    const path = join(this.folder, objectId);
    const entry: Entry = { objectId, sizeBytes, path, holders: new Set(holder ? [holder] : []) };
    // Entered before the rename, so that the bytes count without a gap (S2).
    this.#objects.set(objectId, entry);
    this.#storedBytes += sizeBytes;
    await rename(temporary, path);
    return entry;
  }
}

/** One object on its way into the store. Ends with commit() or abort(). */
export class ObjectWriter {
  readonly #file: FileHandle;
  readonly #sizeBytes: number;
  readonly #settle: (objectId: string | undefined) => Promise<StoredObject | undefined>;
  readonly #hash = createHash("sha256");
  #writtenBytes = 0;
  #ended = false;

  constructor(
    file: FileHandle,
    sizeBytes: number,
    settle: (objectId: string | undefined) => Promise<StoredObject | undefined>,
  ) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
    this.#settle = settle;
  }

  /** @throws {PalimpsestError} INVALID_ARGUMENT above the announced size */
  async write(data: Uint8Array): Promise<void> {
    this.#writtenBytes += data.byteLength;
    if (this.#writtenBytes > this.#sizeBytes) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `more bytes came than the ${this.#sizeBytes} that were announced`,
      );
    }
    this.#hash.update(data);
    let offset = 0;
    while (offset < data.byteLength) offset += (await this.#file.write(data, offset)).bytesWritten;
  }

  /** @param expected the name that the bytes must have @throws {PalimpsestError} INVALID_ARGUMENT, OBJECT_LOST */
  async commit(expected?: string): Promise<StoredObject> {
    if (this.#writtenBytes !== this.#sizeBytes) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${this.#writtenBytes} bytes came of the ${this.#sizeBytes} announced`,
      );
    }
    const objectId = this.#hash.digest("hex");
    if (expected !== undefined && expected !== objectId) {
      throw new PalimpsestError("OBJECT_LOST", `object ${expected} arrived with hash ${objectId}`, {
        details: { objectId: expected },
      });
    }
    this.#ended = true;
    await this.#file.close();
    const stored = await this.#settle(objectId);
    if (!stored)
      throw new PalimpsestError("OBJECT_LOST", `object ${objectId} was deleted while it was stored`);
    return stored;
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#file.close();
    await this.#settle(undefined);
  }
}

export function isObjectId(text: string): boolean {
  return objectIdPattern.test(text);
}
