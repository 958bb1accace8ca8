/** Returns the smallest bucket that fits `size`. Buckets ascend; the last one is the largest size that may be requested. */
export function bucketFor(buckets: readonly number[], size: number): number {
  const bucket = buckets.find((candidate) => candidate >= size);
  if (bucket === undefined)
    throw new RangeError(`internal: no bucket is large enough for ${size} among ${buckets.join(", ")}`);
  return bucket;
}

/** Returns smallest, smallest·factor, … and finally `largest` itself. */
export function geometricBuckets(smallest: number, largest: number, factor: number): number[] {
  const buckets: number[] = [];
  for (let size = smallest; size < largest; size *= factor) buckets.push(size);
  return [...buckets, largest];
}
