/** Tasks whose results are lost with a node, and which record each of their runs in a file. */
import { appendFileSync } from "node:fs";
import { type ObjectRef, taskContext } from "@palimpsest/client";

const length = 50_000;

export function made(runs: string, letter: string): Float64Array {
  appendFileSync(runs, letter);
  return new Float64Array(length).fill(1);
}

/** Returns an array with each value increased by one. */
export async function next(
  runs: string,
  letter: string,
  { before }: { readonly before: ObjectRef<Float64Array> },
): Promise<Float64Array> {
  appendFileSync(runs, letter);
  return (await before.get()).map((value) => value + 1);
}

/** Returns a reference to a value that the task put, in place of the value itself. */
export async function putBy(): Promise<{ readonly put: ObjectRef<Float64Array> }> {
  const cluster = await taskContext().connect();
  return { put: await cluster.put(new Float64Array(length).fill(5)) };
}

export function short(runs: string): string {
  appendFileSync(runs, "s");
  return "short";
}

export function* items(): Generator<number> {
  yield 1;
}
