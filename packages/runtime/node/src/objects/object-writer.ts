/**
 * Responsibility: one object that is being written to the store: bytes in order, counted and hashed as they arrive.
 * Not responsible for: room and names (object-store.ts).
 *
 * Invariants:
 * - WRITER-1. A writer ends exactly once, with commit() or abort(). Without commit() it leaves nothing behind.
 * - WRITER-2. Exactly the announced number of bytes is committed, and only under their hash; a value only under the
 *   name that it was given.
 */
import { createHash, type Hash } from "node:crypto";
import { PalimpsestError } from "@palimpsest/wire";
import type { ObjectFile } from "./store/object-disk.js";
import type { StoredObject } from "./store/stored-object.js";

export type SettleObject = (objectId: string | undefined) => Promise<StoredObject | undefined>;

export class ObjectWriter {
  readonly sizeBytes: number;
  readonly #file: ObjectFile;
  readonly #settle: SettleObject;
  /** The hash of the bytes; undefined for a value, which has its name already. */
  readonly #hash: Hash | undefined;
  readonly #valueId: string;
  #writtenBytes = 0;
  #ended = false;

  /** @param valueId empty if the object is named by its hash */
  constructor(file: ObjectFile, sizeBytes: number, settle: SettleObject, valueId = "") {
    this.#valueId = valueId;
    this.#hash = valueId === "" ? createHash("sha256") : undefined;
    this.#file = file;
    this.sizeBytes = sizeBytes;
    this.#settle = settle;
  }

  /** The number of bytes written, which is where an interrupted transfer continues. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** @throws {PalimpsestError} INVALID_ARGUMENT above the announced size, OBJECT_STORE_FULL if the disk is full */
  async write(data: Uint8Array): Promise<void> {
    if (this.#writtenBytes + data.byteLength > this.sizeBytes) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `more bytes arrived than the announced ${this.sizeBytes}`,
      );
    }
    this.#hash?.update(data);
    this.#writtenBytes += data.byteLength;
    try {
      for (let offset = 0; offset < data.byteLength; )
        offset += (await this.#file.write(data, offset)).bytesWritten;
    } catch (reason) {
      throw noSpace(reason) ?? reason;
    }
  }

  /** @param expected the name that the bytes must have @throws {PalimpsestError} INVALID_ARGUMENT, OBJECT_LOST */
  async commit(expected?: string): Promise<StoredObject> {
    if (this.#writtenBytes !== this.sizeBytes) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `only ${this.#writtenBytes} of the announced ${this.sizeBytes} bytes arrived`,
      );
    }
    const objectId = this.#hash?.digest("hex") ?? this.#valueId;
    if (expected !== undefined && expected !== objectId) {
      await this.abort();
      throw new PalimpsestError("OBJECT_LOST", `object ${expected} was received with the hash ${objectId}`, {
        details: { objectId: expected },
      });
    }
    this.#ended = true;
    await this.#file.close();
    const stored = await this.#settle(objectId);
    if (!stored)
      throw new PalimpsestError("OBJECT_LOST", `object ${objectId} was freed while it was stored`, {
        details: { objectId },
      });
    return stored;
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#file.close();
    await this.#settle(undefined);
  }
}

/** Returns the error for a full disk; undefined for any other reason. */
export function noSpace(reason: unknown): PalimpsestError | undefined {
  if (!(reason instanceof Error && "code" in reason && reason.code === "ENOSPC")) return undefined;
  return new PalimpsestError(
    "OBJECT_STORE_FULL",
    "the file system of the object store has no space left: free some, or give objectStoreDir another folder or objectStoreBytes a smaller bound",
    { cause: reason },
  );
}
