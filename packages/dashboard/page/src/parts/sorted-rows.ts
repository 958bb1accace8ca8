/** Sorts rows by a column. The order is a text for addresses: the column's title, after a minus sign if descending. */

/** The value of a row in a column; undefined if it has none, which sorts it last in both directions. */
export type SortBy<Row> = (row: Row) => number | string | undefined;

export function sortOf(by: string): { readonly title: string; readonly down: boolean } | undefined {
  if (by === "") return undefined;
  return by.startsWith("-") ? { title: by.slice(1), down: true } : { title: by, down: false };
}

/** Returns the order after a press on a title: ascending, descending, and then as it was. */
export function nextSort(by: string, title: string): string {
  if (by === title) return `-${title}`;
  return by === `-${title}` ? "" : title;
}

/** Rows with equal values keep their order. @param of the values of a column by its title */
export function sortedRows<Row>(
  rows: readonly Row[],
  by: string,
  of: (title: string) => SortBy<Row> | undefined,
): readonly Row[] {
  const sort = sortOf(by);
  const value = sort && of(sort.title);
  if (sort === undefined || value === undefined) return rows;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined)
      return Number(a.key === undefined) - Number(b.key === undefined);
    const order =
      typeof a.key === "number" && typeof b.key === "number"
        ? a.key - b.key
        : String(a.key).localeCompare(String(b.key), "en", { numeric: true });
    return sort.down ? -order : order;
  });
  return keyed.map(({ row }) => row);
}
