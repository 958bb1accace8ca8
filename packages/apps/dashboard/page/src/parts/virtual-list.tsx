/** A table that renders only the rows in view, so that 10,000 rows cost as much as 40. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

/** Number of rows above and below the view that are rendered as well. */
const beyond = 8;
/** Pixels between columns, and between the outer columns and the list's edges; the same as in style/parts.css. */
const columnGap = 10;

interface Column<Row> {
  readonly title: string;
  /** Minimum width in pixels. */
  readonly width: number;
  /** Share of the remaining width; default 0. */
  readonly grow?: number;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value by which the column sorts; absent: it does not. */
  readonly by?: SortBy<Row>;
}

/** How the rows are sorted, which the address of a page keeps. */
interface Sorting {
  /** As `sortedRows` reads it. */
  readonly by: string;
  readonly onSort: (by: string) => void;
}

export interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly rowHeight?: number;
  /** Id of the row that is highlighted. The list scrolls to it when it changes. */
  readonly current?: string | undefined;
  readonly onChoose?: ((row: Row) => void) | undefined;
  readonly empty: string;
  /** Absent: the rows keep their order. */
  readonly sorting?: Sorting | undefined;
}

/** Scroll positions of lists by label, so that returning shows the same rows. */
const remembered = new Map<string, number>();

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, columns, idOf, rowHeight = 36, current, onChoose, empty, sorting } = props;
  const by = sorting?.by ?? "";
  const rows = useMemo(
    () => sortedRows(props.rows, by, (title) => columns.find((column) => column.title === title)?.by),
    [props.rows, by],
  );
  const frame = useRef<HTMLDivElement>(null);
  const top = useSignal(remembered.get(label) ?? 0);
  const height = useSignal(600);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    element.scrollTop = remembered.get(label) ?? 0;
    const watcher = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [label, height]);
  const at = current === undefined ? -1 : rows.findIndex((row) => idOf(row) === current);
  useEffect(() => {
    const element = frame.current;
    if (!element || at < 0) return;
    const from = at * rowHeight;
    const seen = element.clientHeight - rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + seen) element.scrollTop = from + 2 * rowHeight - seen;
  }, [at, rowHeight]);
  const first = Math.max(0, Math.floor(top.value / rowHeight) - beyond);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / rowHeight) + beyond);
  const tracks = {
    gridTemplateColumns: columns.map(({ width, grow = 0 }) => `minmax(${width}px,${grow}fr)`).join(" "),
    // All rows get the same minimum width, so that their cells stay aligned when the list is scrolled horizontally.
    minWidth: `${columns.reduce((sum, { width }) => sum + width + columnGap, columnGap)}px`,
  };
  return (
    <div
      class="list"
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      ref={frame}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
        remembered.set(label, top.value);
      }}
    >
      <div class="row head" role="row" aria-rowindex={1} style={tracks}>
        {columns.map((column) => (
          <Head key={column.title} column={column} sorting={sorting} />
        ))}
      </div>
      {rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <div role="rowgroup" class="rows" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, last).map((row, index) => {
            const id = idOf(row);
            return (
              <div
                key={id}
                class="row"
                role="row"
                aria-rowindex={first + index + 2}
                aria-selected={id === current ? true : undefined}
                style={{ ...tracks, top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}
                onClick={onChoose && (() => onChoose(row))}
              >
                {columns.map(({ title, cell }) => (
                  <div key={title} role="cell">
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}

function Head<Row>({ column: { title, by }, sorting }: HeadProps<Row>) {
  if (by === undefined || sorting === undefined) return <div role="columnheader">{title}</div>;
  const own = sortOf(sorting.by);
  const order = own?.title === title ? (own.down ? "descending" : "ascending") : "none";
  return (
    <div role="columnheader" aria-sort={order}>
      <button type="button" onClick={() => sorting.onSort(nextSort(sorting.by, title))}>
        {title}
        <span aria-hidden="true">{order === "none" ? "" : order === "ascending" ? " ↑" : " ↓"}</span>
      </button>
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
}

/** Sorts rows by a column. The order is a text for addresses: the column's title, after a minus sign if descending. */

/** The value of a row in a column; undefined if it has none, which sorts it last in both directions. */
type SortBy<Row> = (row: Row) => number | string | undefined;

function sortOf(by: string): { readonly title: string; readonly down: boolean } | undefined {
  if (by === "") return undefined;
  return by.startsWith("-") ? { title: by.slice(1), down: true } : { title: by, down: false };
}

/** Returns the order after a press on a title: ascending, descending, and then as it was. */
function nextSort(by: string, title: string): string {
  if (by === title) return `-${title}`;
  return by === `-${title}` ? "" : title;
}

/** Rows with equal values keep their order. @param of the values of a column by its title */
function sortedRows<Row>(
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
