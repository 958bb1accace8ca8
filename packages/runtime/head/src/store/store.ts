/**
 * Where the head's authoritative state is stored. Keys and values are opaque here; the tables know their meaning.
 * Rows that a store has lost are rewritten in this order: the state of a DEAD actor before its specification, which
 * has lost its arguments (ACTORTABLE-7); a placement group before its actors; a submission before its job, which
 * cannot start without it.
 */
export const storeTables = ["deaths", "groups", "actors", "specs", "nodes", "submissions", "jobs"] as const;
export type StoreTable = (typeof storeTables)[number];

/** The desired state of one row; without bytes it is removed. */
export interface StoreWrite {
  readonly table: StoreTable;
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
}

/** Returns every row of a table, by key. */
export type RowsOf = (table: StoreTable) => Iterable<readonly [key: string, bytes: Uint8Array]>;

/** The tables as one head sees them. Only the leading head can write. */
export interface Store {
  readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Applies all of the writes. After a rejection any part of them may have been applied.
   * @throws {DeposedError} when another head leads
   */
  write(writes: readonly StoreWrite[]): Promise<void>;
  /** Returns the fact's value, which is set to `initial` if there is none. */
  fact(name: string, initial: string): Promise<string>;
}

/** Another head leads the cluster, so nothing from this one is written any more. */
export class DeposedError extends Error {
  override readonly name = "DeposedError";
}
