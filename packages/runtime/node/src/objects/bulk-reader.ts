/**
 * Responsibility: reading ranges of objects for one bulk connection, including objects that are still being fetched.
 * Not responsible for: the connection (wire/bulk/bulk-server.ts).
 *
 * Invariants:
 * - BULKREADER-1. Bytes that were read and not yet taken by the connection count in the budget of outgoing bytes
 *   (SERVE-1).
 * - BULKREADER-2. The object of the last request stays open until another one is requested, or the connection ends.
 */
import {
  type BulkBytes,
  type BulkReader,
  type BulkRequest,
  isObjectId,
  PalimpsestError,
} from "@palimpsest/wire";
import type { ByteBudget } from "../base/byte-budget.js";
import type { ObjectAssembly } from "./object-assembly.js";
import type { OpenedObject } from "./store/object-disk.js";
import type { ObjectStore } from "./store/object-store.js";

/** The maximum number of buffers of sent answers that are kept for reuse. */
const keptBuffers = 3;

export interface BulkReaderDeps {
  readonly store: ObjectStore;
  /** Returns the object that is being fetched; undefined if it is not. */
  readonly coming: (objectId: string, waitMs: number) => Promise<ObjectAssembly | undefined>;
  readonly budget: ByteBudget;
  readonly onSent: (bytes: number) => void;
}

interface OpenObject {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly file: OpenedObject;
  readonly done: () => void;
}

export class ObjectBulkReader implements BulkReader {
  readonly #deps: BulkReaderDeps;
  #open: OpenObject | undefined;
  readonly #buffers: Buffer[] = [];

  constructor(deps: BulkReaderDeps) {
    this.#deps = deps;
  }

  async read(request: BulkRequest): Promise<BulkBytes> {
    const { objectId, offsetBytes, lengthBytes, waitMs } = request;
    if (!isObjectId(objectId))
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `object id ${JSON.stringify(objectId)} is neither 20 nor 32 bytes in hex`,
      );
    const assembly = await this.#arrived(request, waitMs);
    const giveBack = await this.#deps.budget.take(lengthBytes);
    const buffer = this.#buffer(lengthBytes);
    try {
      const bytes = buffer.subarray(0, lengthBytes);
      if (assembly === undefined || !(await assembly.read(bytes, offsetBytes)))
        await this.#fill(request, bytes);
      this.#deps.onSent(lengthBytes);
      return {
        bytes,
        release: () => {
          if (this.#buffers.length < keptBuffers) this.#buffers.push(buffer);
          giveBack();
        },
      };
    } catch (reason) {
      giveBack();
      throw reason;
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    // Once it is done, the file may be written again.
    await open?.file.close().finally(open.done);
  }

  /** Resolves when the range has arrived; with undefined if the store has the object. */
  async #arrived(
    { objectId, offsetBytes, lengthBytes }: BulkRequest,
    waitMs: number,
  ): Promise<ObjectAssembly | undefined> {
    const { store, coming } = this.#deps;
    const found = store.find(objectId);
    const assembly = found === undefined ? await coming(objectId, waitMs) : undefined;
    const sizeBytes = assembly?.sizeBytes ?? store.get(objectId).sizeBytes;
    if (offsetBytes + lengthBytes > sizeBytes)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `bytes ${offsetBytes} to ${offsetBytes + lengthBytes} were requested of object ${objectId}, which has ${sizeBytes}`,
      );
    await assembly?.arrived(offsetBytes, lengthBytes, waitMs);
    return assembly;
  }

  async #fill({ objectId, offsetBytes }: BulkRequest, target: Uint8Array): Promise<void> {
    const { file } = await this.#opened(objectId);
    for (let done = 0; done < target.byteLength; ) {
      const { bytesRead } = await file.read(target, done, target.byteLength - done, offsetBytes + done);
      if (bytesRead === 0)
        throw new PalimpsestError("OBJECT_LOST", `the file of object ${objectId} was truncated`);
      done += bytesRead;
    }
  }

  /** BULKREADER-2 */
  async #opened(objectId: string): Promise<OpenObject> {
    if (this.#open?.objectId === objectId) return this.#open;
    await this.close();
    const { object, open, done } = this.#deps.store.read(objectId);
    try {
      this.#open = { objectId, sizeBytes: object.sizeBytes, file: await open(), done };
      return this.#open;
    } catch (reason) {
      done();
      throw reason;
    }
  }

  #buffer(lengthBytes: number): Buffer {
    const kept = this.#buffers.pop();
    return kept !== undefined && kept.byteLength >= lengthBytes ? kept : Buffer.allocUnsafeSlow(lengthBytes);
  }
}
