/** Splits many rows into writes of a bounded size. */
import type { StoreTable, StoreWrite } from "./store.js";

/** The maximum number of rows per write of a rewrite, and the bytes after which a write is cut earlier. */
const rewriteBatch = { rows: 500, bytes: 1024 * 1024 };

/** Yields writes of the rows of one table. Rows without bytes are removed. */
export function* batches(
  table: StoreTable,
  rows: Iterable<readonly [key: string, bytes: Uint8Array | undefined]>,
): Generator<StoreWrite[]> {
  let batch: StoreWrite[] = [];
  let sizeBytes = 0;
  for (const [key, bytes] of rows) {
    batch.push({ table, key, bytes });
    sizeBytes += bytes?.byteLength ?? 0;
    if (batch.length < rewriteBatch.rows && sizeBytes < rewriteBatch.bytes) continue;
    yield batch;
    batch = [];
    sizeBytes = 0;
  }
  if (batch.length > 0) yield batch;
}
