/** The functions that the chaos benches run as tasks. */
import type { ObjectRef } from "@palimpsest/client";

/** @returns the value, after a moment */
export async function answer(value: number, ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return value;
}

/** Returns a result large enough to stay on the node that made it. */
export function large(value: number): Float64Array {
  return new Float64Array(20_000).fill(value);
}

export async function first(array: ObjectRef<Float64Array>): Promise<number> {
  const [value = Number.NaN] = await array.get();
  array.release();
  return value;
}
