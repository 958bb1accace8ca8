/**
 * Responsibility: items of a generator that have arrived and that their reader has not taken yet.
 * Not responsible for: how the call ends (pending-call.ts).
 *
 * Invariants:
 * - STREAMITEMS-1. The actor may forget an item that is an object when it learns that the item was taken or that the
 *   call has ended. By then the item has been read, and its references are leased for this program.
 */
import { decodeValue, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ValueStore } from "../values/value-store.js";

/** The number of items that a generator may send ahead of the reader. */
export const streamWindow = 64;
export const streamWindowBytes = 8 * 1024 * 1024;

interface Item {
  readonly value: unknown;
  /** Reads an item that is an object. */
  readonly reading: Promise<unknown> | undefined;
  readonly sizeBytes: number;
}

export class StreamItems {
  readonly #values: ValueStore | undefined;
  readonly #grant: (items: number, bytes: number) => void;
  #items: Item[] = [];
  /** Reads of objects that are in progress. */
  readonly #readings = new Set<Promise<unknown>>();
  #received = 0;
  #taken = 0;
  #takenBytes = 0;

  /** @param grant tells the actor how much the reader has taken */
  constructor(values: ValueStore | undefined, grant: (items: number, bytes: number) => void) {
    this.#values = values;
    this.#grant = grant;
  }

  get received(): number {
    return this.#received;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** @throws {PalimpsestError} CODEC */
  push({ item, itemObject }: proto.Reply.$Properties): void {
    this.#received++;
    if (itemObject == null) {
      const bytes = item ?? new Uint8Array();
      const value = decodeValue(bytes, this.#values);
      this.#items.push({ value, reading: undefined, sizeBytes: bytes.byteLength });
      return;
    }
    if (!this.#values)
      throw new PalimpsestError("CODEC", "an item is in the object store, which this process cannot read");
    const sizeBytes = itemObject.sizeBytes ?? 0;
    const objectId = Buffer.from(itemObject.objectId ?? []).toString("hex");
    // It is read at once, as other items are decoded at once, because it may no longer exist when the actor has
    // ended.
    const reading = this.#read(this.#values, { objectId, sizeBytes });
    this.#readings.add(reading);
    const done = () => this.#readings.delete(reading);
    reading.then(done, done);
    this.#items.push({ value: undefined, reading, sizeBytes });
  }

  /** Takes the next item that has arrived. @throws {PalimpsestError} OBJECT_LOST */
  async take(): Promise<unknown> {
    const item = this.#items.shift();
    if (item === undefined) throw new PalimpsestError("INTERNAL", "no item has arrived");
    const value = item.reading === undefined ? item.value : await item.reading;
    this.#taken++;
    this.#takenBytes += item.sizeBytes;
    if (this.#taken >= streamWindow / 2 || this.#takenBytes >= streamWindowBytes / 2) {
      this.#grant(this.#taken, this.#takenBytes);
      this.#taken = 0;
      this.#takenBytes = 0;
    }
    return value;
  }

  /** Resolves when all items that have arrived are read, successfully or not. */
  async read(): Promise<void> {
    await Promise.allSettled(this.#readings);
  }

  clear(): void {
    this.#items = [];
  }

  /** STREAMITEMS-1 */
  async #read(
    values: ValueStore,
    object: { readonly objectId: string; readonly sizeBytes: number },
  ): Promise<unknown> {
    const value = await values.read(object);
    if (values.holds.isHolding) await values.holds.settled();
    return value;
  }
}
