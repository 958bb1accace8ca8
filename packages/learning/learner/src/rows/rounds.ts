import type { Bucket } from "../config/bucket.js";
import type { MicroBatch } from "./dealt-row.js";

/** Micro-batches that replicas compute concurrently with one function, and so of one bucket. */
export interface Round {
  readonly batches: readonly MicroBatch[];
  /** Micro-batches without rows, for the remaining replicas, because all take part in every run. */
  readonly blanks: readonly MicroBatch[];
}

/** Distributes micro-batches over replicas, those of one bucket together; a single replica gets them in their order. */
export function roundsOf(batches: readonly MicroBatch[], replicas: number): Round[] {
  if (replicas === 1) return batches.map((batch) => ({ batches: [batch], blanks: [] }));
  const byBucket = new Map<Bucket, MicroBatch[]>();
  for (const batch of batches) byBucket.set(batch.bucket, [...(byBucket.get(batch.bucket) ?? []), batch]);
  return [...byBucket].flatMap(([bucket, own]) =>
    Array.from({ length: Math.ceil(own.length / replicas) }, (_, round) => {
      const some = own.slice(round * replicas, (round + 1) * replicas);
      const blank: MicroBatch = { bucket, rowIndices: [], places: [] };
      return { batches: some, blanks: Array.from({ length: replicas - some.length }, () => blank) };
    }),
  );
}
