import { basename } from "node:path";
import type { SourceBadRow } from "@palimpsest/datasets";

/** Groups bad rows by reason, each with its first example. */
export function badRowLines(badRows: readonly SourceBadRow[]): string[] {
  const byReason = new Map<string, SourceBadRow[]>();
  for (const row of badRows) {
    const rows = byReason.get(row.reason);
    if (rows) rows.push(row);
    else byReason.set(row.reason, [row]);
  }
  return [...byReason].map(([reason, rows]) => {
    const [first] = rows;
    const example = first ? `, the first ${basename(first.source)} row ${first.row}: ${first.detail}` : "";
    return `bad rows: ${rows.length} ${reason}${example}`;
  });
}
