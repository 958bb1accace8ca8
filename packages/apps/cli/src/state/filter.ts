import { shownValue, unknownKeys } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { InvalidArgumentError } from "commander";
import type { StateTable } from "./tables.js";

/** One `--filter key=value` or `key!=value`. */
export interface RowFilter {
  readonly key: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/** @throws {InvalidArgumentError} naming the syntax of a filter */
export function parseFilter(text: string, before: readonly RowFilter[] = []): RowFilter[] {
  const match = /^([a-z_]+)(!?=)(.*)$/s.exec(text.trim());
  if (match) return [...before, { key: match[1] ?? "", value: match[3] ?? "", isEqual: match[2] === "=" }];
  throw new InvalidArgumentError(`${shownValue(text)} is no filter; write KEY=VALUE or KEY!=VALUE`);
}

/**
 * Returns the items whose rows match all filters.
 * @throws {PalimpsestError} INVALID_ARGUMENT listing the table's columns
 */
export function passing<Item>(
  table: StateTable<Item>,
  items: readonly Item[],
  filters: readonly RowFilter[],
): readonly Item[] {
  refuseUnknownKeys(table, filters);
  return items.filter((item) => {
    const row = table.row(item);
    return filters.every(({ key, value, isEqual }) => (String(row[key] ?? "") === value) === isEqual);
  });
}

/** @throws {PalimpsestError} INVALID_ARGUMENT listing the table's columns */
export function refuseUnknownKeys(table: Pick<StateTable, "columns">, filters: readonly RowFilter[]): void {
  const unknown = filters.flatMap(({ key }) => (table.columns.includes(key) ? [] : [key]));
  if (unknown.length > 0)
    throw new PalimpsestError("INVALID_ARGUMENT", `--filter: ${unknownKeys(unknown, table.columns)}`);
}
