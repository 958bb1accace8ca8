/**
 * Responsibility: one object that a program on this machine writes into a file of the store.
 * Not responsible for: who may write (object-link.ts), or room (object-store.ts).
 *
 * Invariants:
 * - SHARED-1. A shared write ends exactly once, with seal() or abort(). Without seal() it leaves nothing behind.
 * - SHARED-2. Only a plain file of exactly the announced size is sealed.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { StoredObject } from "./stored-object.js";

export interface SharedWriteDeps {
  readonly path: string;
  readonly sizeBytes: number;
  /** Returns undefined if it is no longer a plain file. */
  readonly sizeOf: () => Promise<number | undefined>;
  /** Returns the object's name, once the file has all of its bytes. */
  readonly nameOf: () => Promise<string>;
  /** Keeps the file under that name, or discards it if the name is undefined. */
  readonly settle: (objectId: string | undefined) => Promise<StoredObject | undefined>;
}

export class SharedWrite {
  readonly #deps: SharedWriteDeps;
  #ended = false;

  constructor(deps: SharedWriteDeps) {
    this.#deps = deps;
  }

  /** The path at which the program writes. */
  get path(): string {
    return this.#deps.path;
  }

  /** @throws {PalimpsestError} INVALID_ARGUMENT if the file has another size, OBJECT_LOST */
  async seal(): Promise<StoredObject> {
    const { sizeBytes, sizeOf, nameOf, settle, path } = this.#deps;
    if (this.#ended) throw new PalimpsestError("OBJECT_LOST", "the room for the value was given to others");
    const found = await sizeOf();
    if (found !== sizeBytes) {
      await this.abort();
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `the file to be sealed has ${found ?? "no"} bytes, but ${sizeBytes} were announced: write all of them before you seal it`,
        { details: { path } },
      );
    }
    const name = await nameOf();
    if (this.#ended) throw new PalimpsestError("OBJECT_LOST", "the value was discarded before it was sealed");
    this.#ended = true;
    const stored = await settle(name);
    if (stored) return stored;
    throw new PalimpsestError("OBJECT_LOST", "the value was freed while it was stored");
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#deps.settle(undefined);
  }
}
