/**
 * Responsibility: the version of the form of rows in the store: each row carries it, and older ones are migrated when
 * they are read.
 * Not responsible for: what rows mean (the tables), or what processes say to each other (protocol-range.ts).
 *
 * Invariants:
 * - ROWS-1. A row is read in this build's form, whichever version wrote it. Each migration leads from one version to
 *   the next and depends on the row alone, so that rows of several versions may lie side by side.
 * - ROWS-2. A head that finds a row of a later version fails before it has written anything.
 * - ROWS-3. Every row that is written carries the version of its form.
 */
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { StoreTable, StoreWrite } from "./store.js";

/** Brings a row from one version to the next. */
export type RowMigration = (table: StoreTable, row: Uint8Array) => Uint8Array;

/** The first one leads from version 1, in which rows carry no version, to version 2. */
export const rowMigrations: readonly RowMigration[] = [withProtocols];

/** The version in which this build writes rows. */
export const rowVersion = 1 + rowMigrations.length;

/** How one build reads and writes rows. */
export class RowFormat {
  readonly version: number;
  readonly #migrations: readonly RowMigration[];
  readonly #mark: Uint8Array;

  /** Tests give the migrations of other builds. */
  constructor(steps = rowMigrations) {
    this.#migrations = steps;
    this.version = 1 + steps.length;
    // A message may be followed by more of its fields, so that the mark needs no decoding of what it marks.
    this.#mark = proto.StoredRow.encode({ rowVersion: this.version }).finish();
  }

  /** ROWS-1, ROWS-2 @throws {PalimpsestError} PROTOCOL_MISMATCH for a row of a later version */
  read(table: StoreTable, rows: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
    const current = new Map<string, Uint8Array>();
    for (const [key, stored] of rows) {
      const version = versionOf(stored);
      if (version > this.version) throw tooNew(`${table}/${key}`, version, this.version);
      const steps = this.#migrations.slice(version - 1);
      current.set(
        key,
        steps.reduce((row, migrate) => migrate(table, row), stored),
      );
    }
    return current;
  }

  /** ROWS-3 */
  written({ table, key, bytes }: StoreWrite): StoreWrite {
    return { table, key, bytes: bytes && Buffer.concat([bytes, this.#mark]) };
  }
}

function versionOf(row: Uint8Array): number {
  return proto.StoredRow.decode(row).rowVersion || 1;
}

function tooNew(row: string, version: number, own: number): PalimpsestError {
  return new PalimpsestError(
    "PROTOCOL_MISMATCH",
    `a newer head has written the cluster's state: row ${row} has version ${version}, and this head reads up to ${own}; nothing was ` +
      "changed. Start a head of that newer version, or restore the state that was backed up before the upgrade",
    { details: { row, rowVersion: version, maxRowVersion: own } },
  );
}

/** From 1 to 2: nodes say which protocols they speak. */
function withProtocols(table: StoreTable, row: Uint8Array): Uint8Array {
  if (table !== "nodes") return row;
  const node = proto.NodeInfo.decode(row);
  return proto.NodeInfo.encode({ ...node, protocols: node.protocols ?? { min: 1, max: 1 } }).finish();
}
