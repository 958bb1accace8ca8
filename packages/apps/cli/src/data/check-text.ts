import type { CheckedData, CheckedFile } from "@palimpsest/datasets";
import { formatTable } from "../display/table.js";
import { shownPath } from "./shown-path.js";

/** Formats one table per manifest, with the state of each of its files. */
export function checkText(checked: readonly CheckedData[]): string {
  return checked
    .map(({ manifest, dataset, files, right }) => {
      const title = manifest === undefined ? "no manifest: rows only" : `${dataset}: ${shownPath(manifest)}`;
      const table = formatTable(["state", "role", "rows", "file"], files.map(row));
      const wrong = files.flatMap(({ path, detail }) => (detail ? [`  ${shownPath(path)}: ${detail}`] : []));
      return `${[title, table, ...wrong, right ? "right" : "NOT right"].join("\n")}\n`;
    })
    .join("\n");
}

function row({ path, role, state, rows }: CheckedFile): string[] {
  return [state, role, rows === undefined ? "" : String(rows), shownPath(path)];
}
