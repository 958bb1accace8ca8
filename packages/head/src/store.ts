/**
 * Where the head's truth lies. Keys and values are opaque here; the tables know what they mean. Rows that a store has
 * lost are written again in this order: the state of an actor that is DEAD before its specification, which has lost
 * its arguments (ACTORTABLE-7); a placement group before its actors; what was submitted before the job, which cannot start without it.
 */
export const storeTables = ["deaths", "groups", "actors", "specs", "nodes", "submissions", "jobs"] as const;
export type StoreTable = (typeof storeTables)[number];

/** One row as it is to be; without bytes it is removed. */
export interface StoreWrite {
  readonly table: StoreTable;
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
}

/** Every row of a table, by key. */
export type RowsOf = (table: StoreTable) => Iterable<readonly [key: string, bytes: Uint8Array]>;

/** The tables as one head sees them: only the head that leads the cluster can write. */
export interface Store {
  readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * All of the writes, or a rejection after which any part of them may have happened.
   * @throws {DeposedError} when another head leads
   */
  write(writes: readonly StoreWrite[]): Promise<void>;
  /** The fact's value; it becomes `initial` when it has none. */
  fact(name: string, initial: string): Promise<string>;
}

/** Another head leads the cluster: nothing of this one is written any more. */
export class DeposedError extends Error {
  override readonly name = "DeposedError";
}
