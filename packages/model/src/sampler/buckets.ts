/** Smallest bucket that holds `size`. Buckets ascend; the last is the largest size asked for. */
export function bucketFor(buckets: readonly number[], size: number): number {
  const bucket = buckets.find((candidate) => candidate >= size);
  if (bucket === undefined) throw new RangeError(`no bucket for ${size} among ${buckets.join(", ")}`);
  return bucket;
}

/** smallest, smallest·factor, … and at last `largest` itself. */
export function geometricBuckets(smallest: number, largest: number, factor: number): number[] {
  const buckets: number[] = [];
  for (let size = smallest; size < largest; size *= factor) buckets.push(size);
  return [...buckets, largest];
}
