import { createHash } from "node:crypto";
import { z } from "zod";
import { Bm25Index } from "./bm25-index.js";
import { type Embedder, embedAll } from "./embedder.js";
import { MemoryError } from "./error.js";
import { searchText } from "./record-text.js";
import type { MemoryRecord } from "./records/index.js";
import { embedderPart, refuseUnfit } from "./refuse-unfit.js";
import { paddedDimensions } from "./unit-vector.js";
import { VectorTable } from "./vector-table.js";

/** A base may have many records: of each only what others rely on is checked. */
const recordsSchema = z.array(
  z.custom<object>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      typeof Reflect.get(value, "id") === "string" &&
      typeof Reflect.get(value, "content") === "string",
    { error: "must be a record with id and content" },
  ),
);

/**
 * Records with their index and vectors, which never change. Any number of namespaces start from one base and share it.
 */
export class StoreBase {
  readonly records: readonly MemoryRecord[];
  readonly embedder: Embedder;
  readonly words: Bm25Index;
  readonly vectors: VectorTable;
  /** SHA-256 of the records, in order. */
  readonly hash: string;
  readonly #indexOf: ReadonlyMap<string, number>;

  private constructor(
    records: readonly MemoryRecord[],
    embedder: Embedder,
    indexOf: ReadonlyMap<string, number>,
    vectors: readonly Int16Array[],
  ) {
    this.records = records;
    this.embedder = embedder;
    this.#indexOf = indexOf;
    this.words = Bm25Index.of(records.map(searchText));
    this.vectors = new VectorTable(vectors, paddedDimensions(embedder.dimensions));
    this.hash = hashRecords(records);
  }

  /** @throws {MemoryError} DUPLICATE_ID, EMBEDDER_FAILED */
  static async of(
    records: readonly MemoryRecord[],
    embedder: Embedder,
    signal?: AbortSignal,
  ): Promise<StoreBase> {
    refuseUnfit(recordsSchema, records, "records of StoreBase.of()");
    refuseUnfit(embedderPart, embedder, "embedder of StoreBase.of()");
    const indexOf = new Map<string, number>();
    records.forEach(({ id }, i) => {
      if (indexOf.has(id)) {
        throw new MemoryError(
          "DUPLICATE_ID",
          `records[${i}].id: "${id}" occurs twice; give each record of a store an id of its own`,
        );
      }
      indexOf.set(id, i);
    });
    const vectors = await embedAll(embedder, records.map(searchText), signal);
    return new StoreBase([...records], embedder, indexOf, vectors);
  }

  get size(): number {
    return this.records.length;
  }

  /** Returns the index of a record; undefined for an unknown id. */
  indexOf(id: string): number | undefined {
    return this.#indexOf.get(id);
  }
}

/** Returns the SHA-256 of the records as JSON, in order. */
export function hashRecords(records: readonly MemoryRecord[]): string {
  const hash = createHash("sha256");
  for (const record of records) hash.update(`${JSON.stringify(record)}\n`);
  return hash.digest("hex");
}
