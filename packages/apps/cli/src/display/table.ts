import Table from "cli-table3";
import { printableLine } from "./printable.js";

/** Formats rows under headings, aligned, without frames or control characters, for terminals and for `awk`. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = "";
  const table = new Table({
    head: [...headings],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
    chars: {
      top: none,
      "top-mid": none,
      "top-left": none,
      "top-right": none,
      bottom: none,
      "bottom-mid": none,
      "bottom-left": none,
      "bottom-right": none,
      left: none,
      "left-mid": none,
      mid: none,
      "mid-mid": none,
      right: none,
      "right-mid": none,
      middle: none,
    },
  });
  for (const row of rows) table.push(row.map(printableLine));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
