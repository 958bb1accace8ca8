import { linearAxis, shortNumber } from "./axis.js";
import { element, picture, text } from "./svg.js";

interface DotRow {
  readonly name: string;
  readonly value: number;
  /** The ends of the interval. */
  readonly low: number;
  readonly high: number;
}

export interface DotPlot {
  readonly title: string;
  readonly xLabel: string;
  readonly rows: readonly DotRow[];
}

const width = 760;
const rowHeight = 26;
const ink = "#24292f";
const pale = "#57606a";
const grid = "#e3e6ea";
const color = "#0072b2";

/**
 * Draws values by name, one dot with its interval per row, from 0 to at least 1, as a complete SVG document on a white
 * background.
 */
export function dotPlot({ title, xLabel, rows }: DotPlot): string {
  const longest = Math.max(4, ...rows.map(({ name }) => name.length));
  const left = Math.min(width / 2, 24 + longest * 7.4);
  const top = 60;
  const bottom = top + rows.length * rowHeight + 8;
  const height = bottom + 58;
  const values = rows.flatMap(({ value, low, high }) => [value, low, high]);
  const x = linearAxis({ min: Math.min(0, ...values), max: Math.max(1, ...values) }, left, width - 32);
  const body = [
    element("rect", { x: 0, y: 0, width, height, rx: 8, fill: "#ffffff" }),
    text(title, { x: 24, y: 32, "font-size": 17, "font-weight": 600, fill: ink }),
    ...x.ticks.flatMap((tick) => [
      element("line", { x1: x.at(tick), x2: x.at(tick), y1: top, y2: bottom, stroke: grid }),
      text(shortNumber(tick), {
        x: x.at(tick),
        y: bottom + 20,
        "text-anchor": "middle",
        "font-size": 12,
        fill: pale,
      }),
    ]),
    ...rows.flatMap((row, i) => drawRow(row, top + (i + 0.5) * rowHeight, left, x.at)),
    text(xLabel, {
      x: (left + width - 32) / 2,
      y: height - 14,
      "text-anchor": "middle",
      "font-size": 13,
      fill: ink,
    }),
  ];
  return picture(title, { width, height }, body);
}

function drawRow(
  { name, value, low, high }: DotRow,
  y: number,
  left: number,
  at: (value: number) => number,
): string[] {
  const stroke = { stroke: color, "stroke-width": 1.6 };
  const end = (end: number) => element("line", { x1: at(end), x2: at(end), y1: y - 4, y2: y + 4, ...stroke });
  return [
    text(name, { x: left - 10, y: y + 4, "text-anchor": "end", "font-size": 13, fill: ink }),
    element("line", { x1: at(low), x2: at(high), y1: y, y2: y, ...stroke }),
    end(low),
    end(high),
    element("circle", { cx: at(value), cy: y, r: 4.6, fill: color, stroke: "#ffffff", "stroke-width": 1.2 }),
  ];
}
