import { shownValue } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import { hotpotqa, twoWikiMultihopqa } from "./hotpotqa.js";
import { jsonl } from "./jsonl.js";
import { locomo } from "./locomo.js";
import { musique } from "./musique.js";
import type { Preparer } from "./preparer.js";
import { ruler } from "./ruler.js";
import { rulerHqa } from "./ruler-hqa.js";
import { squad } from "./squad.js";

/** Everything that `palimpsest data prepare` can prepare, in the order of its help. */
export const preparers: readonly Preparer[] = [
  hotpotqa,
  twoWikiMultihopqa,
  musique,
  squad,
  rulerHqa,
  ruler,
  locomo,
  jsonl,
];

/**
 * Returns the preparer with this name.
 * @throws {DatasetError} BAD_CONFIG if there is none
 */
export function preparerByName(name: string): Preparer {
  const preparer = preparers.find((known) => known.name === name);
  if (preparer !== undefined) return preparer;
  const known = preparers.map((one) => one.name).join(", ");
  const refused = `data set: ${shownValue(name)} is unknown; use one of ${known}`;
  throw new DatasetError("BAD_CONFIG", refused, { name: shownValue(name) });
}
