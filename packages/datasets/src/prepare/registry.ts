import { DatasetError } from "../error.js";
import type { Preparer } from "./preparer.js";

/** Everything that `palimpsest data prepare` can prepare, in the order of its help. */
export const preparers: readonly Preparer[] = [];

/** @throws {DatasetError} BAD_CONFIG */
export function preparerByName(name: string): Preparer {
  const preparer = preparers.find((known) => known.name === name);
  if (preparer !== undefined) return preparer;
  const known = preparers.map((one) => one.name).join(", ");
  throw new DatasetError("BAD_CONFIG", `data set "${name}" is none of ${known}`, { name });
}
