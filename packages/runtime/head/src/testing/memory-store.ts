import type { Store, StoreTable, StoreWrite } from "../store/store.js";

/** A store in this process, for unit tests of the tables. It copies what it is given, as a real one does. */
export class MemoryStore implements Store {
  readonly #tables = new Map<StoreTable, Map<string, Uint8Array>>();
  readonly #facts = new Map<string, string>();
  /** While this is set, writes fail with it. */
  failure: Error | undefined;
  writes = 0;

  async readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>> {
    return new Map(this.#tables.get(table) ?? []);
  }

  async write(writes: readonly StoreWrite[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    for (const { table, key, bytes } of writes) {
      this.writes += 1;
      const rows = this.#tables.get(table) ?? new Map<string, Uint8Array>();
      this.#tables.set(table, rows);
      if (bytes === undefined) rows.delete(key);
      else rows.set(key, Uint8Array.from(bytes));
    }
  }

  async fact(name: string, initial: string): Promise<string> {
    const value = this.#facts.get(name) ?? initial;
    this.#facts.set(name, value);
    return value;
  }
}
