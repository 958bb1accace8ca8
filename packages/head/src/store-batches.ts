/** Many rows as writes of a bounded size. */
import type { StoreTable, StoreWrite } from "./store.js";

/** Rows in one write of a rewrite, and bytes after which the write is cut earlier. */
const rewriteBatch = { rows: 500, bytes: 1024 * 1024 };

/** The rows of one table; those without bytes are removed. */
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
