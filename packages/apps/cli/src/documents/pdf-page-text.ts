/** A piece of text that a page shows, in points from the lower left corner. */
export interface PageItem {
  readonly text: string;
  readonly rightToLeft: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly endsLine: boolean;
}

/** Fewer lines on a side are no column of text. */
const leastLines = 5;
/** Fraction of a column's width that its lines have on average; the cells of a table are shorter. */
const leastFilled = 0.6;
/** Fraction of a page's pieces that may cross the space between columns, as its headings do. */
const mostCrossing = 0.2;

/**
 * Returns a page's text: in the order of the file, which is nearly always that of reading, unless the page has columns
 * and the file goes from one to the other and back line by line.
 */
export function pageText(drawn: readonly PageItem[]): string {
  const items = once(drawn);
  const shown = items.filter(({ text }) => text.trim() !== "");
  const gutter = gutterOf(shown);
  if (gutter === undefined || !alternates(shown, gutter)) return inFileOrder(items);
  return inColumns(shown, gutter).join("\n");
}

/** Leaves out what is drawn again on top of the piece before it, a little beside it, which looks bold. */
function once(items: readonly PageItem[]): PageItem[] {
  const kept: PageItem[] = [];
  for (const item of items) {
    const before = kept.findLast(({ text }) => text.trim() !== "");
    const near = (distance: number) => Math.abs(distance) <= item.height / 10;
    if (before?.text === item.text && near(before.x - item.x) && near(before.y - item.y)) {
      const last = kept.pop();
      if (last !== undefined) kept.push({ ...last, endsLine: item.endsLine });
    } else kept.push(item);
  }
  return kept;
}

const inFileOrder = (items: readonly PageItem[]): string =>
  items.map(({ text, endsLine }) => `${text}${endsLine ? "\n" : ""}`).join("");

/** Returns the columns' texts one after another, between headings that are as wide as the page. */
function inColumns(items: readonly PageItem[], gutter: number): string[] {
  const sides: Record<"left" | "right", PageItem[]> = { left: [], right: [] };
  const found: string[] = [];
  const isRightToLeft = items.filter(({ rightToLeft }) => rightToLeft).length > items.length / 2;
  const flush = (): void => {
    for (const side of isRightToLeft ? (["right", "left"] as const) : (["left", "right"] as const)) {
      const column = sides[side];
      const inner = gutterOf(column);
      found.push(...(inner === undefined ? linesOf(column) : inColumns(column, inner)));
      sides[side] = [];
    }
  };
  for (const line of byLine(items)) {
    if (line.some((item) => crosses(item, gutter))) {
      flush();
      found.push(lineText(line));
      continue;
    }
    for (const item of line) sides[item.x < gutter ? "left" : "right"].push(item);
  }
  flush();
  return found;
}

const crosses = ({ x, width }: PageItem, at: number) => x < at && x + width > at;

/** Returns where the space between two columns of text is; undefined for a page without. */
function gutterOf(items: readonly PageItem[]): number | undefined {
  if (items.length < 2 * leastLines) return undefined;
  const left = Math.min(...items.map(({ x }) => x));
  const right = Math.max(...items.map(({ x, width }) => x + width));
  const free: number[] = [];
  const step = (right - left) / 200;
  for (let at = left + 60 * step; at < right - 60 * step; at += step)
    if (items.filter((item) => crosses(item, at)).length <= mostCrossing * items.length) free.push(at);
  const least = Math.min(...free.map((at) => items.filter((item) => crosses(item, at)).length));
  const best = free.filter((at) => items.filter((item) => crosses(item, at)).length === least);
  const gutter = best[Math.floor(best.length / 2)];
  if (gutter === undefined) return undefined;
  const whole = items.filter((item) => !crosses(item, gutter));
  const isColumn = (column: readonly PageItem[], width: number) => {
    const lines = byLine(column);
    const filled = lines.map((line) => (endOf(line) - Math.min(...line.map(({ x }) => x))) / width);
    return (
      lines.length >= leastLines && filled.reduce((sum, one) => sum + one, 0) >= leastFilled * lines.length
    );
  };
  const leftSide = whole.filter(({ x }) => x < gutter);
  const rightSide = whole.filter(({ x }) => x >= gutter);
  return isColumn(leftSide, gutter - left) && isColumn(rightSide, right - gutter) ? gutter : undefined;
}

/** Returns whether the file changes between the columns more often than their order of reading does. */
function alternates(items: readonly PageItem[], gutter: number): boolean {
  const sides = items.filter((item) => !crosses(item, gutter)).map(({ x }) => x < gutter);
  const changes = sides.filter((side, at) => at > 0 && side !== sides[at - 1]).length;
  return changes >= leastLines;
}

/** Groups pieces by line, from the top of the page to its bottom, each line from left to right. */
function byLine(items: readonly PageItem[]): PageItem[][] {
  const lines: PageItem[][] = [];
  for (const item of [...items].sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const [first] = line ?? [];
    if (line !== undefined && first !== undefined && first.y - item.y < Math.max(first.height, 4) / 2)
      line.push(item);
    else lines.push([item]);
  }
  for (const line of lines) line.sort((a, b) => a.x - b.x);
  return lines;
}

const endOf = (line: readonly PageItem[]) => Math.max(...line.map(({ x, width }) => x + width));
const linesOf = (column: readonly PageItem[]) => byLine(column).map(lineText);

function lineText(line: readonly PageItem[]): string {
  const ordered = line.every(({ rightToLeft }) => rightToLeft) ? [...line].reverse() : line;
  let text = "";
  ordered.forEach((item, at) => {
    const before = ordered[at - 1];
    const gap =
      before === undefined ? 0 : Math.max(item.x - before.x - before.width, before.x - item.x - item.width);
    const apart = gap > item.height / 5 && !/\s$/.test(text) && !/^\s/.test(item.text);
    text += `${apart ? " " : ""}${item.text}`;
  });
  return text.trim();
}
