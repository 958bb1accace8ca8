/** What the chaos benches run as tasks. */
import type { ObjectRef } from "@palimpsest/client";

/** @returns the value, after a moment */
export async function answer(value: number, ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return value;
}

/** A result that lies on the node that made it. */
export function large(value: number): Float64Array {
  return new Float64Array(20_000).fill(value);
}

export async function first(array: ObjectRef<Float64Array>): Promise<number> {
  const [value = Number.NaN] = await array.get();
  array.release();
  return value;
}
