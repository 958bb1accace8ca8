/**
 * Responsibility: one object that arrives in pieces, several at once and in any order, and that other nodes can read
 * while it arrives.
 * Not responsible for: the source of pieces (bulk-transfer.ts), or room and names (store-writes.ts).
 *
 * Invariants:
 * - ASSEMBLY-1. An assembly ends exactly once, with seal() or abort(). Without seal() it leaves nothing behind.
 * - ASSEMBLY-2. An assembly is sealed only when all pieces have arrived, and only under their hash; a value only under
 *   the name that it already has.
 * - ASSEMBLY-3. Only bytes that have arrived are read for others. Once it is sealed, its file belongs to the store
 *   and is not read from here, because it may be freed and written again.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { noSpace, type SettleObject } from "./object-writer.js";
import type { FileHash } from "./store/file-hashes.js";
import type { PlacedFile } from "./store/object-disk.js";
import type { StoredObject } from "./store/stored-object.js";

/**
 * The size of a piece: small enough to still be in the processor's cache when it is written, and large enough to need
 * few messages.
 */
export const pieceBytes = 1024 * 1024;

export interface ObjectAssemblyDeps {
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly file: PlacedFile;
  /** The hash of the file; undefined for a value, which has its name already. */
  readonly hash: FileHash | undefined;
  readonly settle: SettleObject;
}

export interface Piece {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

interface Waiter {
  readonly lastPiece: number;
  readonly firstPiece: number;
  done(error?: PalimpsestError): void;
}

export class ObjectAssembly {
  readonly #deps: ObjectAssemblyDeps;
  readonly #has: Uint8Array;
  /** All pieces before this one have been claimed at least once. */
  #nextPiece = 0;
  /** Claimed pieces that did not arrive. */
  readonly #again: number[] = [];
  #missing: number;
  /** All pieces before this one have arrived. */
  #prefix = 0;
  #readers = 0;
  #onUnread: (() => void) | undefined;
  #state: "open" | "sealing" | "ended" = "open";
  readonly #waiters = new Set<Waiter>();

  constructor(deps: ObjectAssemblyDeps) {
    this.#deps = deps;
    this.#has = new Uint8Array(Math.ceil(deps.sizeBytes / pieceBytes));
    this.#missing = this.#has.length;
  }

  get sizeBytes(): number {
    return this.#deps.sizeBytes;
  }

  get pieces(): number {
    return this.#has.length;
  }

  get missingPieces(): number {
    return this.#missing;
  }

  /** Claims the first piece that is not being fetched; undefined if there is none. */
  claim(): Piece | undefined {
    const index = this.#again.pop() ?? (this.#nextPiece < this.pieces ? this.#nextPiece++ : undefined);
    if (index === undefined) return undefined;
    const offsetBytes = index * pieceBytes;
    return { offsetBytes, lengthBytes: Math.min(pieceBytes, this.sizeBytes - offsetBytes) };
  }

  /** Returns a claimed piece that did not arrive, so that another connection can fetch it. */
  unclaim({ offsetBytes }: Piece): void {
    this.#again.push(offsetBytes / pieceBytes);
    this.#again.sort((a, b) => b - a);
  }

  /** Stores a claimed piece. @throws {PalimpsestError} OBJECT_STORE_FULL if the disk is full */
  async write({ offsetBytes }: Piece, bytes: Uint8Array): Promise<void> {
    const { file, hash } = this.#deps;
    try {
      await file.writeAt(bytes, offsetBytes);
    } catch (reason) {
      throw noSpace(reason) ?? reason;
    }
    this.#has[offsetBytes / pieceBytes] = 1;
    this.#missing--;
    const before = this.#prefix;
    while (this.#has[this.#prefix] === 1) this.#prefix++;
    if (this.#prefix > before) hash?.written(Math.min(this.sizeBytes, this.#prefix * pieceBytes));
    for (const waiter of this.#waiters) if (this.#hasAll(waiter)) waiter.done();
  }

  /**
   * Resolves when the range has arrived, or the object is sealed. @throws {PalimpsestError} UNAVAILABLE after waitMs,
   * or if it was aborted
   */
  arrived(offsetBytes: number, lengthBytes: number, waitMs: number): Promise<void> {
    const lastPiece = Math.floor((Math.min(this.sizeBytes, offsetBytes + lengthBytes) - 1) / pieceBytes);
    const range = { firstPiece: Math.floor(offsetBytes / pieceBytes), lastPiece };
    if (this.#state === "ended") return Promise.reject(this.#notHere("its transfer ended"));
    if (this.#hasAll(range)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...range,
        done: (error) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (error) reject(error);
          else resolve();
        },
      };
      const late = this.#notHere(`byte ${offsetBytes} of it has not arrived within ${waitMs} ms`);
      const timer = setTimeout(() => waiter.done(late), waitMs);
      this.#waiters.add(waiter);
    });
  }

  /**
   * Fills the target with bytes that have arrived(). Returns false if it is sealed, so that the store has it
   * (ASSEMBLY-3).
   */
  async read(target: Uint8Array, offsetBytes: number): Promise<boolean> {
    if (this.#state !== "open") return false;
    this.#readers++;
    try {
      for (let done = 0; done < target.byteLength; ) {
        const left = target.byteLength - done;
        const { bytesRead } = await this.#deps.file.read(target, done, left, offsetBytes + done);
        if (bytesRead === 0) throw this.#notHere("its file was truncated");
        done += bytesRead;
      }
      return true;
    } finally {
      this.#readers--;
      if (this.#readers === 0) this.#onUnread?.();
    }
  }

  /** @throws {PalimpsestError} OBJECT_LOST if its bytes do not match its name */
  async seal(): Promise<StoredObject> {
    const { objectId, sizeBytes, hash, settle } = this.#deps;
    if (this.#missing > 0 || this.#state !== "open") throw this.#notHere("it is incomplete");
    const sha256 = (await hash?.digest(sizeBytes)) ?? objectId;
    if (sha256 !== objectId) {
      await this.abort();
      throw new PalimpsestError("OBJECT_LOST", `object ${objectId} was received with the hash ${sha256}`, {
        details: { objectId },
      });
    }
    this.#state = "sealing";
    await this.#unread();
    await this.#deps.file.close();
    const stored = await settle(objectId);
    this.#state = "ended";
    for (const waiter of [...this.#waiters]) waiter.done();
    if (stored) return stored;
    throw new PalimpsestError("OBJECT_LOST", `object ${objectId} was freed while it was stored`, {
      details: { objectId },
    });
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#deps.hash?.forget();
    for (const waiter of [...this.#waiters]) waiter.done(this.#notHere("its transfer ended"));
    await this.#unread();
    await this.#deps.file.close();
    await this.#deps.settle(undefined);
  }

  #hasAll({ firstPiece, lastPiece }: Pick<Waiter, "firstPiece" | "lastPiece">): boolean {
    for (let piece = firstPiece; piece <= lastPiece; piece++) if (this.#has[piece] !== 1) return false;
    return true;
  }

  #unread(): Promise<void> {
    if (this.#readers === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onUnread = resolve;
    });
  }

  #notHere(why: string): PalimpsestError {
    return new PalimpsestError(
      "UNAVAILABLE",
      `object ${this.#deps.objectId} is incomplete on this node: ${why}`,
      {
        details: { objectId: this.#deps.objectId },
      },
    );
  }
}
