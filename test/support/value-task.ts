import type { ObjectRef } from "@palimpsest/client";

/** Returns the sum of what the task receives by reference and by value, and the reference itself. */
export async function sumAndValues(given: {
  readonly ref: ObjectRef<Float64Array>;
  readonly more: Float64Array;
}): Promise<{ readonly sum: number; readonly values: ObjectRef<Float64Array> }> {
  const values = await given.ref.get();
  let sum = 0;
  for (const value of [...values, ...given.more]) sum += value;
  return { sum, values: given.ref };
}
