/** Where the head's truth lies. Keys and values are opaque here; the tables know what they mean. */
export const storeTables = ["actors", "nodes", "jobs", "submissions"] as const;
export type StoreTable = (typeof storeTables)[number];

/** One row as it is to be; without bytes it is removed. */
export interface StoreWrite {
  readonly table: StoreTable;
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
}

export interface Store {
  readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>>;
  /** All of the writes, or a rejection after which any part of them may have happened. */
  write(writes: readonly StoreWrite[]): Promise<void>;
  /** The fact's value; it becomes `initial` when it has none. */
  fact(name: string, initial: string): Promise<string>;
}
