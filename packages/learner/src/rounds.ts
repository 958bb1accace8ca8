import type { Bucket } from "./bucket.js";
import type { MicroBatch } from "./dealt-row.js";

/** Micro-batches that replicas compute at the same time: one function, so of one bucket. */
export interface Round {
  readonly batches: readonly MicroBatch[];
  /** Without rows, for replicas that are left: all take part in every run. */
  readonly blanks: readonly MicroBatch[];
}

/** Deals micro-batches out to replicas, those of one bucket together; to one replica in their order. */
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
