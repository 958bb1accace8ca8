/**
 * Responsibility: spilled copies of objects on disk: written, read back and removed, bounded in bytes.
 * Not responsible for: which objects are spilled and restored (object-residence.ts).
 *
 * Invariants:
 * - SPILL-1. Copies on disk and those being written together never exceed `maxBytes`.
 * - SPILL-2. What is read back has the size and the checksum (CRC-32) of what was written, or it is OBJECT_LOST.
 */
import { crc32 } from "node:zlib";
import { PalimpsestError } from "@palimpsest/wire";
import type { ObjectDisk, ObjectFile, OpenedObject } from "./object-disk.js";
import { ObjectFiles } from "./object-files.js";

/** The bytes of one piece of a copy. Its checksum takes the thread about a millisecond. */
const pieceBytes = 4 * 1024 * 1024;

interface SpilledCopy {
  readonly sizeBytes: number;
  readonly checksum: number;
  /** Whether its file was read completely since it was written. */
  isVerified: boolean;
}

export interface SpillFilesOptions {
  /** A folder that only these copies use. It is emptied on open and removed on close. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly disk: ObjectDisk;
}

export class SpillFiles {
  readonly maxBytes: number;
  readonly #files: ObjectFiles;
  readonly #copies = new Map<string, SpilledCopy>();
  #bytes = 0;

  private constructor(files: ObjectFiles, maxBytes: number) {
    this.#files = files;
    this.maxBytes = maxBytes;
  }

  static async open({ folder, maxBytes, disk }: SpillFilesOptions): Promise<SpillFiles> {
    return new SpillFiles(await ObjectFiles.open(folder, disk), maxBytes);
  }

  get folder(): string {
    return this.#files.folder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(objectId: string): boolean {
    return this.#copies.has(objectId);
  }

  /** Returns all objects that have a copy here. */
  objectIds(): Iterable<string> {
    return this.#copies.keys();
  }

  /** @throws {PalimpsestError} OBJECT_STORE_FULL if the disk cannot take it */
  async write(objectId: string, source: OpenedObject, sizeBytes: number): Promise<void> {
    this.#bytes += sizeBytes;
    let temporary = "";
    try {
      await this.#files.settled();
      const created = await this.#files.create();
      temporary = created.temporary;
      const checksum = await copyBytes(source, created.file, sizeBytes).finally(() => created.file.close());
      if (checksum === undefined) throw new Error("it was truncated while it was written");
      await this.#files.inTurn(objectId, () => this.#files.keep(temporary, objectId));
      this.#copies.set(objectId, { sizeBytes, checksum, isVerified: false });
    } catch (reason) {
      if (temporary !== "") await this.#files.discard(temporary).catch(() => undefined);
      this.#bytes -= sizeBytes;
      throw new PalimpsestError(
        "OBJECT_STORE_FULL",
        `object ${objectId} of ${sizeBytes} bytes could not be spilled to ${this.folder}: ${PalimpsestError.from(reason).rawMessage}; free space there, or give objectSpillBytes a smaller bound`,
        { cause: reason, details: { objectId } },
      );
    }
  }

  pathOf(objectId: string): string {
    return this.#files.pathOf(objectId);
  }

  /** Opens the copy for reading on disk. @throws {PalimpsestError} OBJECT_LOST (SPILL-2) */
  async openVerified(objectId: string): Promise<OpenedObject> {
    if (!this.#copies.get(objectId)?.isVerified) await this.read(objectId, nowhere);
    return await this.#open(objectId);
  }

  /** Copies it to `target`. @throws {PalimpsestError} OBJECT_LOST (SPILL-2) */
  async read(objectId: string, target: ObjectFile): Promise<void> {
    const copy = this.#copies.get(objectId);
    if (copy === undefined) throw damaged(objectId, "it is gone");
    const source = await this.#open(objectId);
    try {
      const checksum = await copyBytes(source, target, copy.sizeBytes);
      if (checksum === undefined) throw damaged(objectId, `it is shorter than its ${copy.sizeBytes} bytes`);
      if (checksum !== copy.checksum) throw damaged(objectId, "its bytes have another checksum");
      copy.isVerified = true;
    } finally {
      await source.close();
    }
  }

  drop(objectId: string): void {
    const copy = this.#copies.get(objectId);
    if (copy === undefined) return;
    this.#copies.delete(objectId);
    this.#bytes -= copy.sizeBytes;
    this.#files.remove(objectId, copy.sizeBytes);
  }

  async #open(objectId: string): Promise<OpenedObject> {
    try {
      return await this.#files.openObject(objectId);
    } catch (reason) {
      throw damaged(objectId, PalimpsestError.from(reason).rawMessage);
    }
  }

  async close(): Promise<void> {
    this.#copies.clear();
    await this.#files.close();
  }
}

/** A target that drops the bytes, for a copy that is only verified. */
const nowhere: ObjectFile = {
  write: async (data, offset) => ({ bytesWritten: data.byteLength - offset }),
  close: async () => undefined,
};

/** Returns the checksum of the copied bytes; undefined if the source is shorter. */
async function copyBytes(
  source: OpenedObject,
  target: ObjectFile,
  sizeBytes: number,
): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes));
  let checksum = 0;
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.byteLength, sizeBytes - at), at);
    if (bytesRead === 0) return undefined;
    const piece = buffer.subarray(0, bytesRead);
    checksum = crc32(piece, checksum);
    for (let done = 0; done < bytesRead; ) done += (await target.write(piece, done)).bytesWritten;
    at += bytesRead;
  }
  return checksum;
}

function damaged(objectId: string, why: string): PalimpsestError {
  return new PalimpsestError(
    "OBJECT_LOST",
    `object ${objectId} was spilled, and its file on disk is damaged: ${why}`,
    { details: { objectId } },
  );
}
